#include "programs/cc/device_link.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/file.hpp"

namespace heddle::programs {
namespace {

// What a file with relocatable device code has after its name: the function that it calls, and the record of its PTX.
constexpr std::string_view called = "__cudaRegisterLinkedBinary__nv_", record = "__fatbinwrap__nv_";

// In the tables of names, which are text between zeros, of an object file, of an archive's members, and of an archive
// itself (a thin one has no members in it). A name of that form is nothing else's, so that the file's structure does
// not matter.
void find_units(std::string_view bytes, std::set<std::string>& units) {
  for (auto at = bytes.find(record); at != bytes.npos; at = bytes.find(record, at + 1)) {
    const std::size_t begin = at + record.size();
    std::size_t end = begin;
    while (end < bytes.size() && std::isxdigit(static_cast<unsigned char>(bytes[end]))) ++end;
    if (end < bytes.size() && bytes[end] == '\0' && end > begin) units.emplace(bytes.substr(begin, end - begin));
  }
}

// Members of an archive that have device code alone are no other file's matter: without these the linker would leave
// them out. Hidden: a library that the program uses may have the same file, for itself.
std::string references(const std::set<std::string>& units) {
  std::string text, list;
  for (const std::string& unit : units) {
    text += fmt::format("extern const char {}{} __attribute__((visibility(\"hidden\")));\n", record, unit);
    list += fmt::format("  &{}{},\n", record, unit);
  }
  return text + "__attribute__((used)) static const char* const units[] = {\n" + list + "};\n";
}

}  // namespace

std::string device_link_source(std::span<const std::string> objects) {
  std::set<std::string> units;
  for (const std::string& object : objects) {
    const std::filesystem::path file(object);
    // A library has done this for itself.
    if (file.extension() == ".so" || object.find(".so.") != object.npos || object.starts_with('-')) continue;
    if (const auto bytes = base::read_file_if_there(file, base::most_file_bytes)) find_units(*bytes, units);
  }
  if (units.empty()) return {};
  std::string text =
      "extern void* __cudaHeddleLinkedBinaries(const void*, unsigned long, void (*)(void**), const void*);\n"
      "extern void __cudaUnregisterFatBinary(void*);\n"
      "static void* handle;\n"
      "__attribute__((destructor)) static void end(void) { if (handle) __cudaUnregisterFatBinary(handle); }\n" +
      references(units);
  // Weak: a file that -dlink made may be linked as well.
  for (const std::string& unit : units)
    text += fmt::format(
        "__attribute__((weak, visibility(\"hidden\"))) void {}{}(void (*names)(void**), const void* wrapper,\n"
        "    const void* id, void (*done)(void**)) {{\n"
        "  (void)id, (void)done;\n"
        "  handle = __cudaHeddleLinkedBinaries(units, sizeof units / sizeof *units, names, wrapper);\n"
        "}}\n",
        called, unit);
  return text;
}

}  // namespace heddle::programs
