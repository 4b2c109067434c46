#include "runtime/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "runtime/annotation.hpp"
#include "runtime/buffer.hpp"
#include "runtime/kernel_name.hpp"
#include "runtime/module_state.hpp"

namespace heddle::runtime {
namespace {

bool is_floating(std::string_view type) { return type == "f32" || type == "f64"; }
bool is_integer(std::string_view type) { return type.size() > 1 && (type[0] == 'u' || type[0] == 's'); }

std::string where(const KernelInfo& kernel, std::size_t index) {
  const Parameter& parameter = kernel.parameters[index];
  return fmt::format("argument {} of kernel {}: parameter {}{} (.{}, {}{})", index + 1, readable_name(kernel.name),
                     parameter.label.empty() ? "" : parameter.label + ", ", parameter.name, parameter.type,
                     base::counted(parameter.size, "byte"), parameter.pointer ? ", a pointer" : "");
}

const char* what(const Argument& argument) {
  switch (argument.kind()) {
    case Argument::Kind::integer: return "an integer";
    case Argument::Kind::floating: return "a floating-point number";
    case Argument::Kind::structure: return "a structure";
    case Argument::Kind::null: return "a null pointer";
    case Argument::Kind::array: return "an array";
    case Argument::Kind::opaque: return "an opaque pointer";
  }
  return "a value";
}

[[noreturn]] void refuse(const KernelInfo& kernel, std::size_t index, const Argument& argument,
                         std::string_view advice) {
  const std::size_t size = argument.value().size();
  base::fail(ErrorCode::invalid_argument, "{} was given {}{}; {}", where(kernel, index), what(argument),
             size > 0 ? " of " + base::counted(size, "byte") : std::string(), advice);
}

// "pass a structure of 24 bytes, padding included"
std::string structure_advice(const Parameter& parameter) {
  return fmt::format("pass a structure of {}, padding included (hex: with {} digits to heddle launch)",
                     base::counted(parameter.size, "byte"), 2 * parameter.size);
}

bool is_structure(const Parameter& parameter) { return parameter.type.find('[') != std::string::npos; }

constexpr const char* array_advice =
    "pass a heddle::Array or nullptr (in:, inout:, out:, zeros: or null to heddle launch); for an address of memory "
    "that "
    "belongs to no array, heddle::opaque(address)";

void check_array(const Core* core, const KernelInfo& kernel, std::size_t index, const Argument& argument) {
  const Parameter& parameter = kernel.parameters[index];
  if (!takes_address(parameter)) {
    refuse(kernel, index, argument,
           is_structure(parameter) ? structure_advice(parameter) : "it is no pointer, pass a number");
  }
  if (argument.kind() != Argument::Kind::array) return;
  if (!argument.buffer()) {
    base::fail(ErrorCode::invalid_argument, "{} was given an array that was moved from; pass the one it was moved to",
               where(kernel, index));
  }
  if (argument.buffer()->core().get() != core) {
    base::fail(ErrorCode::invalid_argument, "argument {} of kernel {} is an array of another runtime", index + 1,
               kernel.name);
  }
  if (argument.offset() > argument.buffer()->bytes()) {
    base::fail(ErrorCode::invalid_argument, "{} was given a slice that begins at byte {} of an array of {}",
               where(kernel, index), argument.offset(), base::counted(argument.buffer()->bytes(), "byte"));
  }
  const std::size_t left = argument.buffer()->bytes() - argument.offset();
  if (argument.length() != Argument::rest && argument.length() > left) {
    base::fail(ErrorCode::invalid_argument, "{} was given a slice of {} from byte {} on of an array of {}",
               where(kernel, index), base::counted(argument.length(), "byte"), argument.offset(),
               base::counted(argument.buffer()->bytes(), "byte"));
  }
}

std::string size_advice(const Parameter& parameter, const Argument& argument) {
  if (parameter.pointer && !parameter.may_be_index) return array_advice;
  if (is_structure(parameter)) return structure_advice(parameter);
  if (argument.kind() == Argument::Kind::structure)
    return fmt::format("the parameter is no structure, pass a value of {}", base::counted(parameter.size, "byte"));
  return fmt::format("pass a value of {}", base::counted(parameter.size, "byte"));
}

void check_value(const KernelInfo& kernel, std::size_t index, const Argument& argument) {
  const Parameter& parameter = kernel.parameters[index];
  const bool floating = argument.kind() == Argument::Kind::floating;
  const bool integer = argument.kind() == Argument::Kind::integer;
  // A number that stands where an array should is a mistake, most often two arguments in the wrong order; what the PTX
  // adds to a pointer may be an index. A floating-point number is neither.
  if (parameter.pointer && (floating || (integer && !parameter.may_be_index)))
    refuse(kernel, index, argument, array_advice);
  if (is_floating(parameter.type) && integer)
    refuse(kernel, index, argument,
           "pass a floating-point number: with a decimal point in C++, as f32:2 to heddle launch");
  if (is_integer(parameter.type) && floating) refuse(kernel, index, argument, "convert it to an integer first");
  if (argument.value().size() != parameter.size) refuse(kernel, index, argument, size_advice(parameter, argument));
}

// What is said of an argument, at the launch or by the kernel's signature, against the PTX.
void check_direction(const KernelState& state, const KernelInfo& kernel, std::size_t index, const Argument& argument) {
  const Direction direction = argument.direction(), known = kernel.parameters[index].direction;
  const bool has_bytes = argument.kind() == Argument::Kind::array || argument.kind() == Argument::Kind::null;
  if (!has_bytes)
    base::fail(ErrorCode::invalid_argument,
               "{} was given {} that is said to be '{}'; arrays and slices alone have a "
               "direction",
               where(kernel, index), what(argument), name(direction));
  if (known != Direction::found && known != Direction::inout && known != direction)
    base::fail(ErrorCode::invalid_argument, "{} is said to be '{}', and by the kernel's signature to be '{}'",
               where(kernel, index), name(direction), name(known));
  static_cast<void>(annotated(state, index, direction, where(kernel, index)));
}

}  // namespace

Use annotated_use(const KernelState& state, const Parameter& parameter, std::size_t index, const Argument& argument) {
  const Direction direction = argument.direction() != Direction::found ? argument.direction() : parameter.direction;
  const Access access = annotated(state, index, direction, parameter.name);
  return {access, direction == Direction::out && access == Access::write};
}

// What is true of nearly all arrays; check_array() tells the others apart.
static bool is_plain_array(const Core* core, const KernelState& state, std::size_t index, const Argument& argument) {
  if (argument.kind() != Argument::Kind::array || argument.direction() != Direction::found || !argument.buffer() ||
      !state.takes_address(index))
    return false;
  const Buffer& buffer = *argument.buffer();
  return buffer.core().get() == core && argument.offset() <= buffer.bytes() &&
         (argument.length() == Argument::rest || argument.length() <= buffer.bytes() - argument.offset());
}

ArgumentsFound check_arguments(const KernelState& state, const KernelInfo& kernel,
                               std::span<const Argument> arguments) {
  if (arguments.size() != kernel.parameters.size()) {
    std::string list;
    for (const Parameter& parameter : kernel.parameters) {
      list += fmt::format("{}{} .{}{}", list.empty() ? "" : ", ", parameter.name, parameter.type,
                          parameter.pointer ? " (pointer)" : "");
    }
    base::fail(ErrorCode::invalid_argument, "kernel {} takes {} and was given {}: {}", readable_name(kernel.name),
               base::counted(kernel.parameters.size(), "argument"), arguments.size(), list.empty() ? "none" : list);
  }
  ArgumentsFound found;
  const Core* const core = state.module().core().get();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_plain_array(core, state, i, arguments[i])) [[likely]] {
      found.largest = std::max(found.largest, arguments[i].buffer()->bytes());
      continue;
    }
    const Argument::Kind kind = arguments[i].kind();
    if (arguments[i].direction() != Direction::found) {
      check_direction(state, kernel, i, arguments[i]);
      found.annotated = true;
    }
    if (kind == Argument::Kind::array || kind == Argument::Kind::null || kind == Argument::Kind::opaque) {
      check_array(core, kernel, i, arguments[i]);
      if (kind == Argument::Kind::array) found.largest = std::max(found.largest, arguments[i].buffer()->bytes());
      found.opaque = found.opaque || kind == Argument::Kind::opaque;
    } else {
      check_value(kernel, i, arguments[i]);
    }
  }
  return found;
}

bool takes_address(const Parameter& parameter) { return parameter.size == 8 && !is_floating(parameter.type); }

std::size_t packed_bytes(const KernelInfo& kernel) {
  std::size_t size = 0;
  for (const Parameter& p : kernel.parameters) size = std::max<std::size_t>(size, std::size_t{p.offset} + p.size);
  return size;
}

void pack_arguments(const KernelInfo& kernel, std::size_t place, std::span<const Argument> arguments,
                    std::span<std::byte> packed) {
  std::fill(packed.begin(), packed.end(), std::byte{0});
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    std::byte* at = packed.data() + kernel.parameters[i].offset;
    if (argument.kind() == Argument::Kind::array) {
      const std::uint64_t address = argument.buffer()->address(place) + argument.offset();
      std::memcpy(at, &address, sizeof address);
    } else if (argument.kind() != Argument::Kind::null) {
      const auto value = argument.value();
      std::memcpy(at, value.data(), value.size());
    }
  }
}

}  // namespace heddle::runtime
