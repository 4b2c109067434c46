#include "programs/cc/device_link.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/file.hpp"

namespace heddle::programs {
namespace {

constexpr std::string_view prefix = "__cudaRegisterLinkedBinary__nv_";

// In the tables of names, which are text between zeros, of an object file or of an archive's members. An undefined name
// of that form is nothing else's, so that the file's structure does not matter.
void find_names(std::string_view bytes, std::set<std::string>& names) {
  for (auto at = bytes.find(prefix); at != bytes.npos; at = bytes.find(prefix, at + 1)) {
    std::size_t end = at + prefix.size();
    while (end < bytes.size() && std::isxdigit(static_cast<unsigned char>(bytes[end]))) ++end;
    if (end < bytes.size() && bytes[end] == '\0' && end > at + prefix.size()) names.emplace(bytes.substr(at, end - at));
  }
}

}  // namespace

std::string device_link_source(std::span<const std::string> objects) {
  std::set<std::string> names;
  for (const std::string& object : objects) {
    const std::filesystem::path file(object);
    // A library has done this for itself.
    if (file.extension() == ".so" || object.find(".so.") != object.npos || object.starts_with('-')) continue;
    if (const auto bytes = base::read_file_if_there(file, base::most_file_bytes)) find_names(*bytes, names);
  }
  if (names.empty()) return {};
  std::string text =
      "extern void* __cudaHeddleLinkedBinary(void*, void (*)(void**), const void*);\n"
      "extern void __cudaUnregisterFatBinary(void*);\n"
      "static char here;\n"
      "static void* handle;\n"
      "__attribute__((destructor)) static void end(void) { if (handle) __cudaUnregisterFatBinary(handle); }\n";
  // Weak: a file that -dlink made may be linked as well.
  for (const std::string& name : names)
    text += fmt::format(
        "__attribute__((weak, visibility(\"hidden\"))) void {}(void (*names)(void**), const void* wrapper, const void* "
        "id,\n"
        "    void (*done)(void**)) {{\n"
        "  (void)id, (void)done;\n"
        "  handle = __cudaHeddleLinkedBinary(&here, names, wrapper);\n"
        "}}\n",
        name);
  return text;
}

}  // namespace heddle::programs
