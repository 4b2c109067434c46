#include "runtime/bind.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "core/core.hpp"
#include "modules/argument_check.hpp"
#include "runtime/annotation.hpp"
#include "runtime/buffer.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {
namespace {

using modules::place_of;

void check_buffer(const core::Core& core, const KernelInfo& kernel, std::size_t index, const Argument& argument) {
  if (!argument.buffer()) {
    base::fail(ErrorCode::invalid_argument, "{} was given an array that was moved from; pass the one it was moved to",
               place_of(kernel, index));
  }
  if (&argument.buffer()->core() != &core) {
    base::fail(ErrorCode::invalid_argument, "{} was given an array of another runtime", place_of(kernel, index));
  }
  if (argument.offset() > argument.buffer()->bytes()) {
    base::fail(ErrorCode::invalid_argument, "{} was given a slice that begins at byte {} of an array of {}",
               place_of(kernel, index), argument.offset(), base::counted(argument.buffer()->bytes(), "byte"));
  }
  const std::size_t left = argument.buffer()->bytes() - argument.offset();
  if (argument.length() != Argument::rest && argument.length() > left) {
    base::fail(ErrorCode::invalid_argument, "{} was given a slice of {} from byte {} on of an array of {}",
               place_of(kernel, index), base::counted(argument.length(), "byte"), argument.offset(),
               base::counted(argument.buffer()->bytes(), "byte"));
  }
}

// What is said of an argument, at the launch or by the kernel's signature, against the PTX.
void check_direction(const KernelState& state, const KernelInfo& kernel, std::size_t index, const Argument& argument) {
  const Direction direction = argument.direction(), known = kernel.parameters[index].direction;
  const bool has_bytes = argument.kind() == Argument::Kind::array || argument.kind() == Argument::Kind::null;
  if (!has_bytes)
    base::fail(ErrorCode::invalid_argument,
               "{} was given {} that is said to be '{}'; arrays and slices alone have a "
               "direction",
               place_of(kernel, index), modules::what(argument.kind()), name(direction));
  if (known != Direction::found && known != Direction::inout && known != direction)
    base::fail(ErrorCode::invalid_argument, "{} is said to be '{}', and by the kernel's signature to be '{}'",
               place_of(kernel, index), name(direction), name(known));
  static_cast<void>(annotated(state, index, direction, place_of(kernel, index)));
}

// What is true of nearly all arrays; check_argument() finds out what is wrong with the others.
bool is_plain_array(const core::Core& core, const KernelState& state, std::size_t index, const Argument& argument) {
  const ParameterUse& use = state.use_of(index);
  constexpr std::uint32_t bytes = Argument::tag_of(Argument::Kind::array);
  const bool fits =
      (argument.tag() & use.plain_mask) == use.plain_tag || (argument.tag() == bytes && use.takes_address);
  if (!fits || !argument.buffer()) return false;
  const Buffer& buffer = *argument.buffer();
  return &buffer.core() == &core && argument.offset() <= buffer.bytes() &&
         (argument.length() == Argument::rest || argument.length() <= buffer.bytes() - argument.offset());
}

// The same for values.
bool is_plain_value(const KernelState& state, std::size_t index, const Argument& argument) {
  const ParameterUse& use = state.use_of(index);
  const std::uint32_t tag = argument.tag();  // no direction, no elements: the kind alone
  return tag <= Argument::tag_of(Argument::Kind::structure) && (use.value_kinds >> tag & 1) != 0 &&
         argument.value().size() == use.value_bytes;
}

void check_argument(const core::Core& core, const KernelState& state, std::size_t index, const Argument& argument) {
  const KernelInfo& info = state.known_info();
  if (argument.direction() != Direction::found) check_direction(state, info, index, argument);
  modules::check_argument(info, index, {argument.kind(), argument.element(), argument.value().size()});
  if (argument.kind() == Argument::Kind::array) check_buffer(core, info, index, argument);
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

void bind(sched::BoundLaunch& bound, core::Core& core, KernelState& kernel, const LaunchOptions& options,
          std::span<const Argument> arguments) {
  const KernelInfo& info = kernel.info();
  if (arguments.size() != info.parameters.size()) [[unlikely]]
    modules::refuse_count(info, arguments.size());
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
    if (!is_plain_array(core, kernel, i, argument) && !is_plain_value(kernel, i, argument))
      check_argument(core, kernel, i, argument);
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
