#include "modules/source_types.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/kernel_name.hpp"

namespace heddle {

const char* name(ElementType type) {
  switch (type) {
    case ElementType::unknown: return "bytes";
    case ElementType::i8: return "8-bit integers";
    case ElementType::i16: return "16-bit integers";
    case ElementType::i32: return "32-bit integers";
    case ElementType::i64: return "64-bit integers";
    case ElementType::f16: return "16-bit floating-point numbers";
    case ElementType::f32: return "float";
    case ElementType::f64: return "double";
    case ElementType::other: return "complex or other numbers";
  }
  return "bytes";
}

namespace modules {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool drop(std::string_view& text, std::string_view end) {
  // A word ends where another thing begins: "unconst" ends with no "const".
  if (!text.ends_with(end)) return false;
  const bool word = end != "*" && text.size() > end.size();
  if (word && text[text.size() - end.size() - 1] != ' ' && text[text.size() - end.size() - 1] != '*') return false;
  text = trimmed(text.substr(0, text.size() - end.size()));
  return true;
}

struct Scalar {
  Number number = Number::unknown;
  std::uint32_t bytes = 0;
};

struct NamedScalar {
  std::string_view name;
  Scalar scalar;
};
constexpr NamedScalar named_scalars[] = {
    {"float", {Number::floating, 4}},
    {"double", {Number::floating, 8}},
    {"bool", {Number::boolean, 1}},
    {"int8_t", {Number::signed_integer, 1}},
    {"uint8_t", {Number::unsigned_integer, 1}},
    {"int16_t", {Number::signed_integer, 2}},
    {"uint16_t", {Number::unsigned_integer, 2}},
    {"int32_t", {Number::signed_integer, 4}},
    {"uint32_t", {Number::unsigned_integer, 4}},
    {"int64_t", {Number::signed_integer, 8}},
    {"uint64_t", {Number::unsigned_integer, 8}},
    {"size_t", {Number::unsigned_integer, 8}},
    {"ptrdiff_t", {Number::signed_integer, 8}},
    {"ssize_t", {Number::signed_integer, 8}},
    {"uchar", {Number::unsigned_integer, 1}},
    {"ushort", {Number::unsigned_integer, 2}},
    {"uint", {Number::unsigned_integer, 4}},
    {"ulong", {Number::unsigned_integer, 8}},
};

// "unsigned long long", in any order of the words. Nothing for another type.
Scalar integer(std::string_view text) {
  unsigned longs = 0, shorts = 0, chars = 0, signs = 0, unsigneds = 0, ints = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    unsigned* const count = word == "long"       ? &longs
                            : word == "short"    ? &shorts
                            : word == "char"     ? &chars
                            : word == "signed"   ? &signs
                            : word == "unsigned" ? &unsigneds
                            : word == "int"      ? &ints
                                                 : nullptr;
    if (count == nullptr || ++*count > 2) return {};
  }
  if (longs + shorts + chars + signs + unsigneds + ints == 0) return {};
  // Whether char is signed depends on the machine.
  if (chars != 0 && signs + unsigneds == 0) return {Number::unknown, 1};
  return {unsigneds != 0 ? Number::unsigned_integer : Number::signed_integer, chars != 0    ? 1u
                                                                              : shorts != 0 ? 2u
                                                                              : longs != 0  ? 8u
                                                                                            : 4u};
}

Scalar scalar(std::string_view text) {
  while (text.starts_with("const ") || text.starts_with("volatile "))
    text = trimmed(text.substr(text.starts_with("const ") ? 6 : 9));
  while (drop(text, "const") || drop(text, "volatile")) {
  }
  if (text.starts_with("std::")) text.remove_prefix(5);
  if (text.starts_with("::")) text.remove_prefix(2);
  const auto* const known = std::find_if(std::begin(named_scalars), std::end(named_scalars),
                                         [&](const NamedScalar& one) { return one.name == text; });
  return known != std::end(named_scalars) ? known->scalar : integer(text);
}

ElementType element(const Scalar& of) {
  const bool floating = of.number == Number::floating;
  switch (of.bytes) {
    case 2: return ElementType::i16;
    case 4: return floating ? ElementType::f32 : ElementType::i32;
    case 8: return floating ? ElementType::f64 : ElementType::i64;
    default: return ElementType::unknown;  // the memory of a type of one byte may be anything
  }
}

// "float const*" as programs write it: "const float*".
std::string usual(std::string_view text) {
  const std::size_t star = text.find('*');
  if (star == text.npos || text.find_first_of("<(") != text.npos) return std::string(text);
  std::string_view base = trimmed(text.substr(0, star));
  std::string qualifiers;
  while (true) {
    if (drop(base, "const")) {
      qualifiers = "const " + qualifiers;
    } else if (drop(base, "volatile")) {
      qualifiers = "volatile " + qualifiers;
    } else {
      break;
    }
  }
  return qualifiers + std::string(base) + std::string(text.substr(star));
}

bool is_pointer(std::string_view text) { return text.ends_with('*'); }

// Whether a parameter of the PTX can be what the source says.
bool agrees(const ptx::Variable& parameter, const SourceType& type) {
  const bool floating = parameter.type == ptx::Type::f32 || parameter.type == ptx::Type::f64;
  if (type.bytes != 0 && type.bytes != parameter.size()) return false;
  if (is_pointer(type.text)) return !floating && parameter.dims.empty();
  return !floating || type.number == Number::floating || type.number == Number::unknown;
}

}  // namespace

SourceType source_type(std::string_view text, std::string_view actual) {
  SourceType made;
  text = trimmed(text);
  while (drop(text, "__restrict") || drop(text, "__restrict__") || drop(text, "const")) {
  }
  made.text = usual(text);
  std::string_view real = trimmed(actual.empty() ? text : actual);
  while (drop(real, "__restrict") || drop(real, "__restrict__") || drop(real, "const")) {
  }
  if (is_pointer(real)) {
    made.bytes = 8;
    drop(real, "*");
    made.element = element(scalar(real));
  } else {
    const Scalar known = scalar(real);
    made.number = known.number;
    made.bytes = known.bytes;
  }
  return made;
}

SourceTypes::SourceTypes(const ptx::Module& module, std::string_view text) {
  for (ptx::DebugFunction& function : ptx::read_debug_functions(module.sections)) {
    // Of several, a declaration may come before the definition.
    ptx::DebugFunction& known = debug_[function.name];
    if (known.parameters.size() <= function.parameters.size()) known = std::move(function);
  }
  for (ptx::KernelNote& note : ptx::read_kernel_notes(text)) {
    std::string kernel = note.kernel;
    notes_.insert_or_assign(std::move(kernel), std::move(note));
  }
}

std::vector<SourceParameter> SourceTypes::parameters(const ptx::Function& kernel) const {
  const std::size_t count = kernel.parameters.size();
  std::vector<SourceParameter> made(count);
  const auto take = [&](std::vector<SourceParameter> from) {
    if (from.size() != count) return;
    for (std::size_t i = 0; i < count; ++i)
      if (!agrees(kernel.parameters[i], from[i].type)) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (made[i].name.empty()) made[i].name = std::move(from[i].name);
      if (made[i].type.text.empty()) made[i].type = std::move(from[i].type);
    }
  };
  std::vector<SourceParameter> found;
  const bool mangled = kernel.name.starts_with("_Z");
  // Debug information has names of templates' instances, which fit several, only where it has no mangled ones.
  if (const auto debug = debug_.find(kernel.name); debug != debug_.end()) {
    for (const ptx::DebugParameter& one : debug->second.parameters)
      found.push_back({one.name, source_type(one.type, one.actual)});
    take(std::exchange(found, {}));
  }
  for (const std::string& type : base::parameter_types(kernel.name)) found.push_back({{}, source_type(type)});
  take(std::exchange(found, {}));
  if (const auto note = notes_.find(base::plain_name(kernel.name)); note != notes_.end()) {
    // In a template, the types may be those of its arguments.
    for (const ptx::KernelNote::Parameter& one : note->second.parameters)
      found.push_back({one.name, mangled ? SourceType{} : source_type(one.type)});
    take(std::move(found));
  }
  return made;
}

}  // namespace modules
}  // namespace heddle
