#include "runtime/resident_launch.hpp"

#include <cstring>

#include "runtime/bind.hpp"
#include "runtime/buffer.hpp"
#include "runtime/launch_steps.hpp"

namespace heddle::runtime {
namespace {

bool is_plain(const LaunchOptions& options) {
  return !options.blocks && !options.cooperative && !options.timed && options.processors.empty();
}

// Adds the array as number `at`, and its address to the packed arguments. Returns false if it belongs to
// another runtime, is too small, or has no current copy there.
bool add_array(core::LaunchScratch& scratch, std::size_t at, const core::Core& core, const ParameterUse& parameter,
               const Argument& argument, memory::Space space) {
  Buffer* const buffer = argument.buffer();
  if (buffer == nullptr || &buffer->core() != &core) return false;
  const std::uint64_t bytes = buffer->bytes(), begin = argument.offset(), length = argument.length();
  if (begin > bytes) return false;
  std::uint64_t end = bytes;
  if (length <= bytes - begin)
    end = begin + length;
  else if (length != Argument::rest)
    return false;
  if (!parameter.array.used) end = begin;
  memory::Array& array = buffer->array();
  const memory::Copy* const copy = array.copy_if_there(space, begin, end);
  if (copy == nullptr) return false;
  const std::uint64_t address = copy->address + begin;
  std::memcpy(scratch.packed.data() + parameter.offset, &address, sizeof address);
  scratch.arrays[at] = &array;
  graph::Access& access = scratch.accesses[at];
  access.object = copy->object;
  access.mode = parameter.array.mode;
  access.begin = begin;
  access.end = end;
  return true;
}

// Packs a value. Returns false if the parameter does not take it, or if it must be converted.
bool add_value(core::LaunchScratch& scratch, const ParameterUse& parameter, const Argument& argument) {
  std::byte* const to = scratch.packed.data() + parameter.offset;
  const std::uint32_t tag = argument.tag();  // no direction, no elements: the kind alone
  if (tag == Argument::tag_of(Argument::Kind::null)) {
    if (!parameter.takes_address) return false;
    std::memset(to, 0, sizeof(std::uint64_t));
    return true;
  }
  const std::span<const std::byte> value = argument.value();
  if (tag > Argument::tag_of(Argument::Kind::structure) || (parameter.value_kinds >> tag & 1) == 0 ||
      value.size() != parameter.value_bytes)
    return false;
  constexpr std::size_t usual = 4;  // without a call
  if (value.size() == usual)
    std::memcpy(to, value.data(), usual);
  else
    std::memcpy(to, value.data(), value.size());
  return true;
}

// Checks the arguments and finds their arrays on the place.
bool find_arguments(core::LaunchScratch& scratch, const core::Core& core, const KernelState& kernel,
                    std::span<const Argument> arguments, memory::Space space) {
  if (!kernel.is_dense()) std::memset(scratch.packed.data(), 0, kernel.packed_bytes());
  const ParameterUse* parameter = kernel.uses().data();
  std::size_t count = 0;
  for (const Argument& argument : arguments) {
    const std::uint32_t tag = argument.tag();
    if ((tag & parameter->plain_mask) == parameter->plain_tag ||
        (tag == Argument::tag_of(Argument::Kind::array) && parameter->takes_address)) {
      if (!add_array(scratch, count, core, *parameter, argument, space)) return false;
      ++count;
    } else if (!add_value(scratch, *parameter, argument)) {
      return false;
    }
    ++parameter;
  }
  scratch.count = count;
  return true;
}

// Records the uses of the arrays. Returns whether the host is expected to read some of them after the launch.
bool use_arrays(core::Core& core, const core::LaunchScratch& scratch, memory::Space space) {
  const graph::TaskId now = core.scheduler().dag().last();
  bool due = false;
  memory::Array* const* array = scratch.arrays.data();
  for (const graph::Access& access : scratch.all()) {
    (*array)->use_there(space, access, now);
    if (graph::modifies(access.mode)) due |= (*array)->read_back().due();
    ++array;
  }
  ++core.changes().count;
  return due;
}

graph::TaskRef submit(core::Core& core, KernelState& kernel, std::size_t place, device::Function& function,
                      const device::LaunchConfig& config) {
  const core::LaunchScratch& scratch = core.scratch();
  const auto put = [&](device::Queue& queue) {
    queue.launch(function, config, {0, config.grid.count()}, {scratch.packed.data(), kernel.packed_bytes()});
  };
  sched::Scheduler& scheduler = core.scheduler();
  if (count_launch(*kernel.history(), config)) [[unlikely]]
    return scheduler.submit(place, scratch.all(), put, timed_submission(kernel.history(), config.grid.count()));
  const KernelHistory& history = *kernel.history();
  const double seconds = config.grid.count() <= history.last_timed_blocks ? history.last_seconds : 0;
  const auto task = scheduler.submit(place, scratch.all(), put, scheduler.ordinary(kernel.id(), place, seconds));
  scheduler.tracker()[task].kernel = kernel.id();
  return task;
}

// Gives the launch to the replayer, which looks for repetitions.
void record(core::Core& core, KernelState& kernel, std::size_t place, device::Function& function,
            const device::LaunchConfig& config, const LaunchOptions& options, std::span<const Argument> arguments) {
  const core::LaunchScratch& scratch = core.scratch();
  sched::LaunchHash hash(kernel.id(), place, config);
  std::size_t arrays = 0;
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind() != Argument::Kind::array) continue;
    const graph::Access& access = scratch.accesses[arrays];
    hash.add(*scratch.arrays[arrays++], i, access.mode, access.begin, access.end);
  }
  core.replayer().submitted(hash.value(), [&] {
    sched::BoundLaunch bound;
    bind(bound, core, kernel, options, arguments);
    bound.place = place;
    bound.put_addresses();
    return sched::ReplayStep({bound, options.device, arguments}, function, scratch.all());
  });
}

}  // namespace

std::optional<ResidentLaunch> launch_resident(core::Core& core, KernelState& kernel, const LaunchOptions& options,
                                              std::span<const Argument> arguments) {
  if (arguments.size() != kernel.info().parameters.size() || !kernel.is_plain() || !is_plain(options))
    return std::nullopt;
  const std::size_t place = core.find(options.device);
  const auto space = static_cast<memory::Space>(place);
  device::Function* const function = kernel.prepared_on(place, options.block);
  if (function == nullptr) return std::nullopt;
  const device::LaunchConfig config{options.grid, options.block, options.shared, false};
  const base::Lock lock(core.mutex());
  core.replayer().flush_others();
  core::LaunchScratch& scratch = core.scratch();
  if (!core.pinned().none(place) || !core.calls().none() || !find_arguments(scratch, core, kernel, arguments, space))
    return std::nullopt;
  const bool due = use_arrays(core, scratch, space);
  const graph::TaskRef task = submit(core, kernel, place, *function, config);
  if (due) [[unlikely]]
    for (std::size_t i = 0; i < scratch.count; ++i)
      if (scratch.arrays[i]->read_back().due()) core.transfers().copy_back(*scratch.arrays[i]);
  if (core.replayer().records()) record(core, kernel, place, *function, config, options, arguments);
  return ResidentLaunch{task, place};
}

}  // namespace heddle::runtime
