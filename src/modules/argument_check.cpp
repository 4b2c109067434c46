#include "modules/argument_check.hpp"

#include <string_view>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::modules {
namespace {

bool is_floating(std::string_view type) { return type == "f32" || type == "f64"; }
bool is_integer(std::string_view type) { return type.size() > 1 && (type[0] == 'u' || type[0] == 's'); }

// "x (const float*)" where the source is known; else "saxpy_param_2 (.u64, 8 bytes, a pointer)".
std::string described(const Parameter& parameter) {
  const std::string& name = parameter.label.empty() ? parameter.name : parameter.label;
  if (!parameter.source_type.empty()) return fmt::format("{} ({})", name, parameter.source_type);
  return fmt::format("{} (.{}, {}{})", name, parameter.type, base::counted(parameter.size, "byte"),
                     parameter.pointer ? ", a pointer" : "");
}

[[noreturn]] void refuse(const KernelInfo& kernel, std::size_t index, const GivenArgument& given,
                         std::string_view advice) {
  base::fail(ErrorCode::invalid_argument, "{} was given {}{}; {}", place_of(kernel, index), what(given.kind),
             given.bytes > 0 ? " of " + base::counted(given.bytes, "byte") : std::string(), advice);
}

// "pass a structure of 24 bytes, padding included"
std::string structure_advice(const Parameter& parameter) {
  return fmt::format("pass a structure of {}, padding included (hex: with {} digits to heddle launch)",
                     base::counted(parameter.size, "byte"), 2 * parameter.size);
}

bool is_structure(const Parameter& parameter) { return parameter.type.find('[') != std::string::npos; }

constexpr const char* array_advice =
    "pass a heddle::Array or nullptr (in:, inout:, out:, zeros: or null to heddle launch); for an address of memory "
    "that belongs to no array, heddle::opaque(address)";

// Numbers of another type than the kernel's are wrong numbers to it, or lie behind the array's end.
void check_element(const KernelInfo& kernel, std::size_t index, const GivenArgument& given) {
  const ElementType wanted = kernel.parameters[index].element;
  if (wanted == ElementType::unknown || given.element == ElementType::unknown || wanted == given.element) return;
  base::fail(ErrorCode::invalid_argument,
             "{} was given an array of {}; pass an array of {}, or heddle::any_type(x) (--any-type to heddle launch, "
             "any-type = true in a job of heddle batch) if that is meant",
             place_of(kernel, index), name(given.element), name(wanted));
}

std::string size_advice(const Parameter& parameter, const GivenArgument& given) {
  if (parameter.pointer && !parameter.may_be_index) return array_advice;
  if (is_structure(parameter)) return structure_advice(parameter);
  if (given.kind == Argument::Kind::structure)
    return fmt::format("the parameter is no structure, pass a value of {}", base::counted(parameter.size, "byte"));
  return fmt::format("pass a value of {}", base::counted(parameter.size, "byte"));
}

void check_value(const KernelInfo& kernel, std::size_t index, const GivenArgument& given) {
  const Parameter& parameter = kernel.parameters[index];
  const bool floating = given.kind == Argument::Kind::floating;
  const bool integer = given.kind == Argument::Kind::integer;
  // A number that stands where an array should is a mistake, most often two arguments in the wrong order; what the PTX
  // adds to a pointer may be an index. A floating-point number is neither.
  if (parameter.pointer && (floating || (integer && !parameter.may_be_index)))
    refuse(kernel, index, given, array_advice);
  if (is_floating(parameter.type) && integer)
    refuse(kernel, index, given,
           "pass a floating-point number: with a decimal point in C++, as f32:2 to heddle launch");
  if (is_integer(parameter.type) && floating) refuse(kernel, index, given, "convert it to an integer first");
  if (given.bytes != parameter.size) refuse(kernel, index, given, size_advice(parameter, given));
}

}  // namespace

bool takes_address(const Parameter& parameter) {
  return parameter.size == 8 && parameter.type != "f32" && parameter.type != "f64";
}

// What check_value() lets pass.
unsigned value_kinds(const Parameter& parameter) {
  const auto bit = [](Argument::Kind kind) { return 1u << static_cast<unsigned>(kind); };
  unsigned kinds = bit(Argument::Kind::structure);
  if (!is_floating(parameter.type) && (!parameter.pointer || parameter.may_be_index))
    kinds |= bit(Argument::Kind::integer);
  if (!is_integer(parameter.type) && !parameter.pointer) kinds |= bit(Argument::Kind::floating);
  return kinds;
}

std::string place_of(const KernelInfo& kernel, std::size_t index) {
  return fmt::format("argument {} of kernel {}, parameter {}:", index + 1, kernel.signature,
                     described(kernel.parameters[index]));
}

const char* what(Argument::Kind kind) {
  switch (kind) {
    case Argument::Kind::integer: return "an integer";
    case Argument::Kind::floating: return "a floating-point number";
    case Argument::Kind::structure: return "a structure";
    case Argument::Kind::null: return "a null pointer";
    case Argument::Kind::array: return "an array";
    case Argument::Kind::opaque: return "an opaque pointer";
  }
  return "a value";
}

void check_argument(const KernelInfo& kernel, std::size_t index, const GivenArgument& given) {
  using Kind = Argument::Kind;
  if (given.kind != Kind::array && given.kind != Kind::null && given.kind != Kind::opaque)
    return check_value(kernel, index, given);
  const Parameter& parameter = kernel.parameters[index];
  if (!takes_address(parameter)) {
    refuse(kernel, index, given,
           is_structure(parameter) ? structure_advice(parameter) : "it is no pointer, pass a number");
  }
  if (given.kind == Kind::array) check_element(kernel, index, given);
}

void refuse_count(const KernelInfo& kernel, std::size_t given) {
  std::string list;
  for (const Parameter& parameter : kernel.parameters) list += (list.empty() ? "" : ", ") + described(parameter);
  base::fail(ErrorCode::invalid_argument, "kernel {} takes {} and was given {}: {}", kernel.signature,
             base::counted(kernel.parameters.size(), "argument"), given, list.empty() ? "none" : list);
}

}  // namespace heddle::modules
