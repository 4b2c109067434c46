#include "base/kernel_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace heddle::base {
namespace {

// The parts of "void img::scale<float>(float*, int)": template instances carry their return type.
struct Parts {
  std::string_view name;        // "img::scale<float>"
  std::string_view parameters;  // "(float*, int)"
};

Parts parts(std::string_view text) {
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
  return {text.substr(begin, end - begin), text.substr(end)};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Without the blanks that mean nothing: "blur<float>(float *,int)" is "blur<float>(float*, int)".
std::string packed(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ') {
      result += text[i];
      continue;
    }
    const std::size_t next = text.find_first_not_of(' ', i);
    if (next != text.npos && !result.empty() && is_word(result.back()) && is_word(text[next])) result += ' ';
  }
  return result;
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
  if (!name.starts_with("_Z")) return name;  // "v" would be taken for the mangled type void
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string source_name(const std::string& name) {
  const std::string whole = demangled(name);
  return std::string(parts(whole).name);
}

std::string readable_name(const std::string& name) {
  const std::string readable = demangled(name);
  return readable == name ? name : name + " (" + readable + ")";
}

std::string plain_name(const std::string& name) {
  const std::string readable = demangled(name);
  return std::string(without_namespaces(without_template_arguments(parts(readable).name)));
}

std::vector<std::string> parameter_types(const std::string& mangled) {
  std::vector<std::string> types;
  const std::string readable = demangled(mangled);
  if (readable == mangled) return types;
  std::string_view rest = parts(readable).parameters;
  const std::size_t last = rest.rfind(')');
  if (rest.empty() || last == rest.npos) return types;
  rest = rest.substr(1, last - 1);
  while (!rest.empty()) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
      if (rest[end] == '<' || rest[end] == '(') ++depth;
      if (rest[end] == '>' || rest[end] == ')') --depth;
    }
    std::string_view type = rest.substr(0, end);
    while (type.starts_with(' ')) type.remove_prefix(1);
    types.emplace_back(type);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return types;
}

Maker maker_of_variable(const std::string& name) {
  if (demangled(name).starts_with("__heddle::")) return Maker::heddle;
  return name.find("$_") != std::string::npos ? Maker::compiler : Maker::program;
}

bool source_name_matches(const std::string& mangled, std::string_view wanted) {
  if (mangled.rfind("_Z", 0) != 0) return false;
  const std::string full = demangled(mangled), name = packed(wanted);
  if (packed(full) == name) return true;
  const Parts found = parts(full);
  for (const std::string_view candidate : {found.name, without_template_arguments(found.name)}) {
    for (const std::string_view shorter : {candidate, without_namespaces(candidate)}) {
      const std::string plain = packed(shorter);
      if (plain == name || plain + packed(found.parameters) == name) return true;
    }
  }
  return false;
}

}  // namespace heddle::base
