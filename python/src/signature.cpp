// Types of parameters, from the names of kernels and from PTX.
#include <cxxabi.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "objects.hpp"

namespace heddle::python {
namespace {

// The parentheses of the parameters in "void img::scale<float>(float*, int)".
std::string_view parameter_text(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] != '(' || depth != 0) continue;
    if (name.substr(i, anonymous.size()) == anonymous) {
      i += anonymous.size() - 1;
      continue;
    }
    const std::size_t end = name.rfind(')');
    return end == name.npos || end < i ? std::string_view() : name.substr(i + 1, end - i - 1);
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Scalar {
  std::string_view name;
  char kind;  // 'f', 'i' signed, 'u' unsigned, 'c' either
  std::uint32_t bytes;
};
constexpr Scalar scalars[] = {{"float", 'f', 4},
                              {"double", 'f', 8},
                              {"int", 'i', 4},
                              {"unsigned int", 'u', 4},
                              {"long", 'i', 8},
                              {"unsigned long", 'u', 8},
                              {"short", 'i', 2},
                              {"long long", 'i', 8},
                              {"unsigned short", 'u', 2},
                              {"signed char", 'i', 1},
                              {"unsigned char", 'u', 1},
                              {"bool", 'b', 1},
                              {"unsigned long long", 'u', 8}};

const Scalar* scalar(std::string_view type) {
  for (const Scalar& known : scalars)
    if (known.name == type) return &known;
  return nullptr;
}

// What "float const*" points to, if that is a number; bytes may be anything.
const Scalar* pointed_to(std::string_view type) {
  const auto drop = [&](std::string_view end) {
    if (!type.ends_with(end)) return false;
    type.remove_suffix(end.size());
    type = trimmed(type);
    return true;
  };
  while (drop("__restrict") || drop("const")) {
  }
  if (!drop("*")) return nullptr;
  while (drop("const") || drop("volatile")) {
  }
  const Scalar* found = scalar(type);
  return found != nullptr && found->bytes > 1 ? found : nullptr;
}

void set_range(Plan& plan, char kind) {
  const unsigned bits = plan.bytes * 8;
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  plan.most = kind == 'i' ? all >> 1 : kind == 'b' ? 1 : all;
  plan.least = kind == 'u' || kind == 'b' ? 0 : -static_cast<std::int64_t>(all >> 1) - 1;
}

}  // namespace

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && name.starts_with("_Z") ? std::string(text.get()) : name;
}

std::vector<std::string> source_types(const std::string& name) {
  const std::string readable = readable_name(name);
  std::string_view rest = parameter_text(readable);
  std::vector<std::string> result;
  while (!rest.empty()) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
      if (rest[end] == '<' || rest[end] == '(') ++depth;
      if (rest[end] == '>' || rest[end] == ')') --depth;
    }
    result.emplace_back(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

Plan plan(const heddle_parameter& parameter, std::string source_type) {
  Plan result;
  result.name = parameter.name;
  result.type = parameter.type;
  result.source_type = std::move(source_type);
  result.bytes = parameter.bytes;
  result.pointer = parameter.pointer != 0;
  result.may_be_index = parameter.may_be_index != 0;
  result.access = parameter.access;
  const std::string& type = result.type;
  const bool number = result.bytes == 1 || result.bytes == 2 || result.bytes == 4 || result.bytes == 8;
  if (type.find('[') != type.npos || !number) {
    result.kind = Plan::Kind::structure;  // which may hold a pointer
  } else if (result.pointer && !result.may_be_index) {
    result.kind = Plan::Kind::pointer;
  } else if (type == "f32" || type == "f64") {
    result.kind = Plan::Kind::floating;
  } else if (type[0] == 'u' || type[0] == 's') {
    result.kind = Plan::Kind::integer;
  }
  const Scalar* known = scalar(result.source_type);
  if (known != nullptr && known->bytes != result.bytes) known = nullptr;
  if (number) set_range(result, known != nullptr && known->kind != 'f' ? known->kind : type[0] == 's' ? 'i' : 'c');
  if (const Scalar* element = pointed_to(result.source_type); element != nullptr && result.bytes == 8) {
    result.element = element->kind == 'f' ? 'f' : 'i';
    result.element_bytes = element->bytes;
  }
  return result;
}

}  // namespace heddle::python
