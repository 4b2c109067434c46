#include "sched/replay_plan.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "graph/dag.hpp"

namespace heddle::sched {
namespace {

// As in "splitmix64": neighbours become far apart.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

std::uint64_t both(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

bool same(const Argument& a, const Argument& b) {
  if (a.tag() != b.tag()) return false;
  if (a.kind() == Argument::Kind::array)
    return a.buffer() == b.buffer() && a.offset() == b.offset() && a.length() == b.length();
  return a.value().size() == b.value().size();
}

}  // namespace

std::uint64_t hash_of(const BoundLaunch& launch) {
  const device::LaunchConfig& config = launch.config;
  std::uint64_t hash = mix(launch.kernel->id(), launch.anywhere ? ~std::uint64_t{0} : launch.place);
  hash = mix(hash, both(config.grid.x, config.grid.y));
  hash = mix(hash, both(config.grid.z, config.dynamic_shared_bytes));
  hash = mix(hash, both(config.block.x, config.block.y << 16 | config.block.z));
  for (const ArrayUse& use : launch.arrays) {
    hash = mix(hash, use.array->id());
    hash = mix(hash, use.begin ^ std::uint64_t{use.argument} << 56 ^ static_cast<std::uint64_t>(use.mode) << 48);
    hash = mix(hash, use.end);
  }
  return hash;
}

ReplayStep::ReplayStep(const RecordedLaunch& recorded, device::Function& function, std::span<const graph::Access> done)
    : place(recorded.bound.place),
      anywhere(recorded.bound.anywhere),
      accesses(done.begin(), done.end()),
      kernel_id_(recorded.bound.kernel->id()),
      device_(recorded.device),
      arguments_(recorded.arguments.begin(), recorded.arguments.end()) {
  const BoundLaunch& bound = recorded.bound;
  launch = {&function, bound.config, {bound.packed.begin(), bound.packed.end()}, {}};
  for (const ArrayUse& use : bound.arrays)
    arrays.push_back({use, use.array->id(), use.array->address(static_cast<memory::Space>(place)) + use.given,
                      use.used && use.begin < use.end});
  for (std::uint32_t i = 0; i < arguments_.size(); ++i)
    if (!arguments_[i].value().empty()) values_.push_back({i, bound.kernel->offset_of(i)});
}

bool ReplayStep::is_same(const LaunchedKernel& kernel, const LaunchOptions& options,
                         std::span<const Argument> arguments) const {
  const device::LaunchConfig& config = launch.config;
  const bool alike = kernel.id() == kernel_id_ && options.grid == config.grid && options.block == config.block &&
                     options.shared == config.dynamic_shared_bytes && !options.blocks && !options.cooperative &&
                     !options.timed && options.processors.empty() && options.device == device_ &&
                     arguments.size() == arguments_.size();
  if (!alike) return false;
  const Argument* given = arguments.data();
  for (const Argument& known : arguments_)
    if (!same(*given++, known)) return false;
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

bool ReplayStep::take(const LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> given,
                      std::uint64_t now) {
  if (!is_same(kernel, options, given)) return false;
  const auto space = static_cast<memory::Space>(place);
  bool is_due = false;
  for (Array& array : arrays) {
    const ArrayUse& use = array.use;
    memory::Array& of = *use.array;
    // Another array may have taken the place of one that ended. Where this array's bytes are not there, those before it
    // count as used: the launch is submitted alone then, and uses them.
    if (of.id() != array.id) return false;
    std::uint64_t address = use.given;
    if (array.touched) [[likely]] {
      const memory::Copy* const copy = of.use_if_there(space, use.begin, use.end, use.mode, now);
      if (copy == nullptr) return false;
      if (use.mode == graph::Mode::write) of.modified(space, use.begin, use.end);
      is_due |= of.read_back().due();
      address += copy->address;
    } else {
      if (of.open_uses > 0) return false;
      address += of.address(space);
    }
    if (array.address != address) [[unlikely]]
      move(array, address);
  }
  due = is_due;
  for (const Value& value : values_) {
    const std::span<const std::byte> bytes = given[value.argument].value();
    // Most are numbers of four bytes, for which a call would take longer than the comparison.
    constexpr std::size_t usual = sizeof(std::uint32_t);
    if (bytes.size() == usual && std::memcmp(launch.arguments.data() + value.packed_at, bytes.data(), usual) == 0)
      continue;
    set(value.packed_at, bytes);
  }
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
