#include "runtime/bind.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "runtime/annotation.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {
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

std::string where(const KernelInfo& kernel, std::size_t index) {
  return fmt::format("argument {} of kernel {}, parameter {}:", index + 1, kernel.signature,
                     described(kernel.parameters[index]));
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

// Numbers of another type than the kernel's are wrong numbers to it, or lie behind the array's end.
void check_element(const KernelInfo& kernel, std::size_t index, const Argument& argument) {
  const ElementType wanted = kernel.parameters[index].element, given = argument.element();
  if (wanted == ElementType::unknown || given == ElementType::unknown || wanted == given) return;
  base::fail(
      ErrorCode::invalid_argument,
      "{} was given an array of {}; pass an array of {}, or heddle::any_type(x) (--any-type to heddle launch) if "
      "that is meant",
      where(kernel, index), name(given), name(wanted));
}

void check_array(const Core& core, const KernelInfo& kernel, std::size_t index, const Argument& argument) {
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
  if (&argument.buffer()->core() != &core) {
    base::fail(ErrorCode::invalid_argument, "{} was given an array of another runtime", where(kernel, index));
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
  check_element(kernel, index, argument);
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

// What is true of nearly all arrays; check_array() finds out what is wrong with the others.
bool is_plain_array(const Core& core, const KernelState& state, std::size_t index, const Argument& argument) {
  const ParameterUse& use = state.use_of(index);
  constexpr std::uint32_t bytes = Argument::tag_of(Argument::Kind::array);
  const bool fits =
      (argument.tag() & use.plain_mask) == use.plain_tag || (argument.tag() == bytes && use.takes_address);
  if (!fits || !argument.buffer()) return false;
  const Buffer& buffer = *argument.buffer();
  return &buffer.core() == &core && argument.offset() <= buffer.bytes() &&
         (argument.length() == Argument::rest || argument.length() <= buffer.bytes() - argument.offset());
}

void check_argument(const Core& core, const KernelState& state, std::size_t index, const Argument& argument) {
  const KernelInfo& info = state.known_info();
  if (argument.direction() != Direction::found) check_direction(state, info, index, argument);
  const Argument::Kind kind = argument.kind();
  if (kind == Argument::Kind::array || kind == Argument::Kind::null || kind == Argument::Kind::opaque)
    check_array(core, info, index, argument);
  else
    check_value(info, index, argument);
}

[[noreturn]] void refuse_count(const KernelInfo& kernel, std::size_t given) {
  std::string list;
  for (const Parameter& parameter : kernel.parameters) list += (list.empty() ? "" : ", ") + described(parameter);
  base::fail(ErrorCode::invalid_argument, "kernel {} takes {} and was given {}: {}", kernel.signature,
             base::counted(kernel.parameters.size(), "argument"), given, list.empty() ? "none" : list);
}

// What the caller or the kernel's signature says of the array, against the PTX.
void annotate(sched::ArrayUse& use, const KernelState& state, const Argument& argument) {
  const Parameter& parameter = state.known_info().parameters[use.argument];
  const Direction direction = argument.direction() != Direction::found ? argument.direction() : parameter.direction;
  if (direction == Direction::found) return;
  const Access access = annotated(state, use.argument, direction, parameter.name);
  const bool overwrites = direction == Direction::out && access == Access::write;
  set_access(use, access, overwrites);
}

void bind_array(sched::BoundLaunch& bound, const KernelState& state, std::size_t index, const Argument& argument,
                bool reads_are_const) {
  sched::ArrayUse& use = bound.arrays.emplace_back(state.use_of(index).array);
  use.array = &argument.buffer()->array();
  const std::size_t bytes = argument.buffer()->bytes();
  use.given = use.begin = argument.offset();
  use.end = use.begin + std::min(argument.length(), bytes - argument.offset());
  if (state.annotated() || argument.direction() != Direction::found) [[unlikely]]
    annotate(use, state, argument);
  if (!reads_are_const && use.mode == graph::Mode::read) [[unlikely]]
    use.mode = graph::Mode::read_write;
}

// A part of a grid uses what its blocks touch of the arrays, where the PTX shows that. What is said to be overwritten
// is left as it was given: the blocks may leave gaps.
void narrow(sched::BoundLaunch& bound, KernelState& kernel, std::span<const Argument> arguments) {
  const std::vector<ptx::analysis::BlockReach>& reaches = kernel.block_reach();
  const std::vector<std::optional<std::int64_t>> numbers = numbers_of(arguments);
  for (sched::ArrayUse& use : bound.arrays) {
    if (!use.used || use.mode == graph::Mode::write) continue;
    const auto reach = reaches[use.argument].of(bound.config.grid, bound.config.block, bound.blocks, numbers);
    if (!reach) continue;
    const auto inside = [&use](std::int64_t byte) {
      const auto least = static_cast<std::int64_t>(use.begin), most = static_cast<std::int64_t>(use.end);
      return static_cast<std::uint64_t>(std::clamp(static_cast<std::int64_t>(use.given) + byte, least, most));
    };
    const std::uint64_t begin = inside(reach->begin), end = inside(reach->end);
    use.begin = begin;
    use.end = end;
    if (begin == end) use.used = use.reads = use.writes = false;
  }
}

// Throws invalid_argument for blocks that the grid does not have.
BlockRange blocks_of(const LaunchOptions& options) {
  const BlockRange range = options.blocks.value_or(BlockRange{0, options.grid.count()});
  if (range.begin > range.end || range.end > options.grid.count())
    base::fail(ErrorCode::invalid_argument, "blocks {} to {} are not part of a grid of {}", range.begin, range.end,
               base::counted(options.grid.count(), "block"));
  return range;
}

}  // namespace

std::vector<std::optional<std::int64_t>> numbers_of(std::span<const Argument> arguments) {
  std::vector<std::optional<std::int64_t>> numbers;
  for (const Argument& argument : arguments) {
    numbers.emplace_back();
    if (argument.kind() != Argument::Kind::integer) continue;
    const std::span<const std::byte> value = argument.value();
    std::int32_t four = 0;
    std::int64_t eight = 0;
    if (value.size() == sizeof four) {
      std::memcpy(&four, value.data(), sizeof four);
      numbers.back() = four;
    } else if (value.size() == sizeof eight) {
      std::memcpy(&eight, value.data(), sizeof eight);
      numbers.back() = eight;
    }
  }
  return numbers;
}

void bind(sched::BoundLaunch& bound, Core& core, KernelState& kernel, const LaunchOptions& options,
          std::span<const Argument> arguments) {
  const KernelInfo& info = kernel.info();
  if (arguments.size() != info.parameters.size()) [[unlikely]]
    refuse_count(info, arguments.size());
  bound.kernel = &kernel;
  // One by one: a structure that is put together and copied waits for its parts to be stored.
  bound.config.grid = options.grid;
  bound.config.block = options.block;
  bound.config.dynamic_shared_bytes = options.shared;
  bound.config.cooperative = options.cooperative;
  bound.blocks = blocks_of(options);
  bound.whole = !options.blocks;
  bound.timed = options.timed;
  bound.processors = options.processors.empty() ? nullptr : &options.processors;
  bound.packed.assign(kernel.packed_bytes(), std::byte{0});
  const bool reads_are_const = core.scheduler().policy().dependences == Scheduling::Dependences::with_const;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (!is_plain_array(core, kernel, i, argument)) check_argument(core, kernel, i, argument);
    if (argument.kind() == Argument::Kind::array) {
      bind_array(bound, kernel, i, argument, reads_are_const);
    } else if (argument.kind() != Argument::Kind::null) {
      bound.opaque = bound.opaque || argument.kind() == Argument::Kind::opaque;
      const auto value = argument.value();
      std::byte* const to = bound.packed.data() + kernel.use_of(i).offset;
      constexpr std::size_t usual = 4;  // without a call
      if (value.size() == usual)
        std::memcpy(to, value.data(), usual);
      else
        std::memcpy(to, value.data(), value.size());
    }
  }
  if (!bound.whole) narrow(bound, kernel, arguments);
}

}  // namespace heddle::runtime
