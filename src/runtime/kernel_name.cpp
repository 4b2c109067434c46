#include "runtime/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heddle::runtime {
namespace {

// "img::scale<float>" from "void img::scale<float>(float*, int)": what stands before the parameter list, without the
// return type that template instances carry.
std::string_view qualified(std::string_view text) {
  int depth = 0;
  std::size_t begin = 0, end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == ' ') begin = i + 1;
    if (c == '(') {
      constexpr std::string_view anonymous = "(anonymous namespace)";
      if (text.substr(i, anonymous.size()) == anonymous) {
        i += anonymous.size() - 1;
        continue;
      }
      end = i;
      break;
    }
  }
  return text.substr(begin, end - begin);
}

std::string_view without_template_arguments(std::string_view name) {
  if (name.empty() || name.back() != '>') return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string_view without_namespaces(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 1;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<') --depth;
    if (depth == 0 && name[i] == ':' && name[i - 1] == ':') return name.substr(i + 1);
  }
  return name;
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string readable_name(const std::string& name) {
  const std::string readable = demangled(name);
  return readable == name ? name : name + " (" + readable + ")";
}

bool source_name_matches(const std::string& mangled, std::string_view wanted) {
  if (mangled.rfind("_Z", 0) != 0) return false;
  const std::string full = demangled(mangled);
  if (full == wanted) return true;
  const std::string_view name = qualified(full);
  for (const std::string_view candidate : {name, without_template_arguments(name)}) {
    if (candidate == wanted || without_namespaces(candidate) == wanted) return true;
  }
  return false;
}

}  // namespace heddle::runtime
