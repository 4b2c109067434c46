#include "sched/replay_plan.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "graph/dag.hpp"

namespace heddle::sched {
namespace {

std::uint64_t both(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

}  // namespace

LaunchHash::LaunchHash(std::uint64_t kernel, std::uint64_t place, const device::LaunchConfig& config) : hash_(kernel) {
  mix(place);
  mix(both(config.grid.x, config.grid.y));
  mix(both(config.grid.z, config.dynamic_shared_bytes));
  mix(both(config.block.x, config.block.y << 16 | config.block.z));
}

std::uint64_t hash_of(const BoundLaunch& launch) {
  LaunchHash hash(launch.kernel->id(), launch.anywhere ? ~std::uint64_t{0} : launch.place, launch.config);
  for (const ArrayUse& use : launch.arrays)
    hash.add(*use.array, use.argument, use.mode, use.begin, use.used ? use.end : use.begin);
  return hash.value();
}

ReplayStep::ReplayStep(const RecordedLaunch& recorded, device::Function& function, std::span<const graph::Access> done)
    : place(recorded.bound.place),
      anywhere(recorded.bound.anywhere),
      history(recorded.bound.kernel->history()),
      accesses(done.begin(), done.end()),
      kernel_id_(recorded.bound.kernel->id()),
      device_(recorded.device) {
  const BoundLaunch& bound = recorded.bound;
  launch = {&function, bound.config, {bound.packed.begin(), bound.packed.end()}, {}};
  for (const ArrayUse& use : bound.arrays)
    arrays.push_back({use, use.array->id(), use.array->address(static_cast<memory::Space>(place)) + use.given,
                      use.used && use.begin < use.end});
  for (std::uint32_t i = 0; i < recorded.arguments.size(); ++i) {
    const Argument& argument = recorded.arguments[i];
    arguments_.push_back({argument.tag(), static_cast<std::uint32_t>(argument.value().size()),
                          bound.kernel->offset_of(i), argument.buffer(), argument.offset(), argument.length()});
  }
}

bool ReplayStep::is_alike(const LaunchedKernel& kernel, const LaunchOptions& options, std::size_t arguments) const {
  const device::LaunchConfig& config = launch.config;
  return kernel.id() == kernel_id_ && options.grid == config.grid && options.block == config.block &&
         options.shared == config.dynamic_shared_bytes && !options.blocks && !options.cooperative && !options.timed &&
         options.processors.empty() && options.device == device_ && arguments == arguments_.size();
}

bool ReplayStep::is_repeated(const LaunchedKernel& kernel, const LaunchOptions& options,
                             std::span<const Argument> arguments) {
  if (!is_alike(kernel, options, arguments.size())) return false;
  const Argument* given = arguments.data();
  for (const Known& known : arguments_) {
    const Argument& argument = *given++;
    if (argument.tag() != known.tag) return false;
    if (argument.kind() == Argument::Kind::array) [[likely]] {
      if (argument.buffer() != known.buffer || argument.offset() != known.offset || argument.length() != known.length)
        return false;
    } else if (!take_value(known, argument.value())) {
      return false;
    }
  }
  return true;
}

bool ReplayStep::take_value(const Known& known, std::span<const std::byte> bytes) {
  if (bytes.size() != known.bytes) return false;
  // Most are numbers of four bytes, for which a call would take longer than the comparison.
  constexpr std::size_t usual = sizeof(std::uint32_t);
  if (bytes.size() == usual && std::memcmp(launch.arguments.data() + known.packed_at, bytes.data(), usual) == 0)
    return true;
  set(known.packed_at, bytes);
  return true;
}

void ReplayStep::set(std::uint32_t at, std::span<const std::byte> bytes) {
  std::byte* const known = launch.arguments.data() + at;
  if (std::memcmp(known, bytes.data(), bytes.size()) == 0) return;
  std::memcpy(known, bytes.data(), bytes.size());
  changed = true;
}

void ReplayStep::move(Array& array, std::uint64_t address) {
  array.address = address;
  set(array.use.packed_at, std::as_bytes(std::span(&address, 1)));
}

bool ReplayStep::use_arrays(const memory::Changes& changes, std::uint64_t now) {
  const auto space = static_cast<memory::Space>(place);
  bool is_due = false, is_expected = false;
  for (Array& array : arrays) {
    const ArrayUse& use = array.use;
    memory::Array& of = *use.array;
    // Another array may have taken the place of one that ended. Where this array's bytes are not there, those before it
    // count as used: the launch is submitted alone then, and uses them.
    if (of.id() != array.id) return false;
    std::uint64_t address = use.given;
    if (array.touched) [[likely]] {
      const memory::Copy* const copy = of.use_repeatedly(space, use.begin, use.end, use.mode, now);
      if (copy == nullptr) return false;
      is_due |= of.read_back().due();
      is_expected |= of.read_back().expected();
      address += copy->address;
    } else {
      if (of.open_uses > 0) return false;
      address += of.address(space);
    }
    if (array.address != address) [[unlikely]]
      move(array, address);
  }
  due = is_due;
  settled_at_ = is_expected ? 0 : changes.count;
  return true;
}

void ReplayPart::connect() {
  graph::Dag dag;
  std::map<graph::ObjectId, graph::ObjectId> objects;
  std::map<graph::ObjectId, std::uint64_t> sizes;
  for (const ReplayStep& step : steps)
    for (const graph::Access& access : step.accesses) sizes[access.object] = std::max(sizes[access.object], access.end);
  for (const auto& [object, size] : sizes) objects[object] = dag.add_object(std::max<std::uint64_t>(size, 1));
  std::map<std::tuple<graph::ObjectId, std::uint64_t, std::uint64_t>, graph::Mode> all;
  for (ReplayStep& step : steps) {
    std::vector<graph::Access> renamed = step.accesses;
    for (graph::Access& access : renamed) access.object = objects[access.object];
    const graph::TaskRef task = dag.append(renamed);
    step.launch.parents.clear();
    for (const graph::TaskRef& parent : dag[task].parents)
      step.launch.parents.push_back(static_cast<unsigned>(parent.id - 1));
    for (const graph::Access& access : step.accesses) {
      const auto [found, is_new] = all.try_emplace({access.object, access.begin, access.end}, access.mode);
      if (!is_new) found->second = graph::both(found->second, access.mode);
    }
  }
  accesses.clear();
  for (const auto& [range, mode] : all)
    accesses.push_back({std::get<0>(range), mode, std::get<1>(range), std::get<2>(range)});
  std::map<memory::Array*, unsigned> arrays;
  for (const ReplayStep& step : steps)
    for (const ReplayStep::Array& array : step.arrays)
      if (array.touched) arrays[array.use.array] += array.modifies();
  uses.clear();
  for (const auto& [array, modifications] : arrays) uses.push_back({array, modifications});
}

void ReplayPart::record_uses(std::size_t held, std::uint64_t now) {
  if (unrecorded == 0) return;
  const auto space = static_cast<memory::Space>(steps.front().place);
  const bool whole = unrecorded == steps.size();
  if (whole)
    for (const Uses& used : uses) used.array->repeat(space, used.modifications, now);
  for (std::size_t i = 0; i < held; ++i) {
    if (!std::exchange(steps[i].unrecorded, false) || whole) continue;
    for (const ReplayStep::Array& array : steps[i].arrays)
      if (array.touched) array.use.array->repeat(space, array.modifies(), now);
  }
  unrecorded = 0;
}

void ReplayPart::update(device::Device& device) {
  if (!graph) {
    std::vector<device::GraphLaunch> launches;
    launches.reserve(steps.size());
    for (const ReplayStep& step : steps) launches.push_back(step.launch);
    graph = device.launch_graph(launches);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].changed) continue;
    graph->set_arguments(static_cast<unsigned>(i), steps[i].launch.arguments);
    steps[i].changed = false;
  }
}

}  // namespace heddle::sched
