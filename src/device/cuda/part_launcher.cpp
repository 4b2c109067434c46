#include "device/cuda/part_launcher.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "device/cuda/launch_grid.hpp"
#include "ptx/rewrite/block_ranges_plan.hpp"

namespace heddle::device::cuda {

using Kind = base::TraceEvent::Kind;

namespace {

// One launch for each part where parts are boxes of the grid; several small ones cost more than a division. All parts
// run the same code, so that one form of the kernel has to be compiled.
RangeCode code_for(CudaFunction& function, const Dim3& grid, const BlockRange& range, std::uint64_t part) {
  constexpr std::uint64_t most_counted = (std::uint64_t{1} << 31) - 1;
  if (grid.count() <= most_counted && !ptx::are_boxes(grid, range, part) && function.has(ptx::RangeForm::linear))
    return function.range(ptx::RangeForm::linear);
  if (!function.has(ptx::RangeForm::box) && function.has(ptx::RangeForm::prelude))
    return function.range(ptx::RangeForm::prelude);
  return function.range(ptx::RangeForm::box);
}

}  // namespace

void PartLauncher::launch(CudaFunction& kernel, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                          std::span<const std::byte> arguments) {
  const RangeCode code = code_for(kernel, config.grid, range, part);
  code.function->allow_shared(state(), config.dynamic_shared_bytes);
  commands_.put_launch(arguments, [this, &kernel, code, config, range, part](std::span<const std::byte> bytes) {
    start(kernel, code, config, range, part, bytes);
  });
}

void PartLauncher::start(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
                         std::uint64_t part, std::span<const std::byte> arguments) const {
  const ptx::RangeEntry& entry = *code.entry;
  std::vector<std::byte> packed(entry.parameter_bytes);
  std::copy(arguments.begin(), arguments.end(), packed.begin());
  if (commands_.traced()) {  // trace events separate the parts
    commands_.chain().end();
    refresh(code);
    for (std::uint64_t at = range.begin; at < range.end; at += part) {
      const BlockRange now{at, std::min(range.end, at + part)};
      const Tracer::Scope traced = commands_.trace(Kind::launch, kernel.ptx().name, 0, now, config);
      start_in_turns(kernel, code, config, now, now.size(), packed, false);
    }
  } else {
    const bool chained = !entry.ordered && !entry.whole_clusters;
    if (!chained || !commands_.chain().continues(kernel.id(), config, range, arguments)) {
      commands_.chain().end();
      refresh(code);
      if (chained) begin_chain(kernel, code, config, range, part, arguments);
    }
    start_in_turns(kernel, code, config, range, part, packed, chained);
  }
  commands_.remember(kernel.ptx().name);
}

// What other code may have written since the last launch.
void PartLauncher::refresh(const RangeCode& code) const {
  for (const ConstantCopy& copy : code.constants)
    commands_.check(state().driver().copy_async(copy.to, copy.from, copy.bytes, commands_.current()),
                    "copying a variable");
}

// Two streams are enough where a part fills the GPU. Where many are smaller, more of them make it busier.
void PartLauncher::begin_chain(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config,
                               BlockRange range, std::uint64_t part, std::span<const std::byte> arguments) const {
  constexpr std::uint64_t many = 8;
  unsigned count = 2;
  if ((range.size() + part - 1) / part >= many) {
    const std::uint64_t resident = resident_blocks(state(), *code.function, config, commands_.processors());
    count = static_cast<unsigned>(std::clamp<std::uint64_t>(resident / part + 1, 2, RangeChain::most_streams));
  }
  std::array<driver::Stream, RangeChain::most_streams> streams{commands_.current()};
  for (unsigned i = 1; i < count; ++i) streams[i] = commands_.additional(i);
  commands_.chain().begin(kernel.id(), config, range.begin, arguments, std::span(streams).first(count));
}

// A launch is made ready while the range before it runs, and its blocks begin as soon as that one's have ended: 3 us
// less between the two. What blocks have written is not promised to be seen so early, so not for blocks that use what
// others left.
void PartLauncher::start_in_turns(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config,
                                  BlockRange range, std::uint64_t part, std::span<std::byte> packed,
                                  bool chained) const {
  const Driver& cuda = state().driver();
  const bool can_be_early = state().launches_early();
  RangeChain::Place place{commands_.current(), false};
  const GridArguments given(kernel, packed, code.entry);
  std::uint64_t done = range.begin;
  ptx::plan_parts(*code.entry, config.grid, range, part, packed, [&](const Dim3& grid, const BlockRange& now) {
    if (chained && now.end != done) place = commands_.chain().next(now.end);
    done = now.end;
    const driver::Result result =
        start_grid(cuda, code.function->handle(), grid, config, place.stream, given, place.early && can_be_early);
    if (result != driver::success) commands_.check(result, "launching a part of kernel '" + kernel.ptx().name + "'");
    place.early = chained;  // what more there is of this part
  });
}

}  // namespace heddle::device::cuda
