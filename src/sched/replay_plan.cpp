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

bool same(const ArrayUse& a, const ArrayUse& b) {
  return a.array == b.array && a.given == b.given && a.begin == b.begin && a.end == b.end && a.mode == b.mode &&
         a.used == b.used && a.argument == b.argument;
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

ReplayStep::ReplayStep(const BoundLaunch& bound, device::Function& function, std::span<const graph::Access> done)
    : kernel_id(bound.kernel->id()), place(bound.place), anywhere(bound.anywhere) {
  launch = {&function, bound.config, {bound.packed.begin(), bound.packed.end()}, {}};
  accesses.assign(done.begin(), done.end());
  for (const ArrayUse& use : bound.arrays) arrays.push_back({use, use.array->id()});
}

bool ReplayStep::take(BoundLaunch& bound, std::uint64_t now) {
  const device::LaunchConfig& config = launch.config;
  const bool alike = bound.kernel->id() == kernel_id && bound.anywhere == anywhere &&
                     (anywhere || bound.place == place) && bound.config.grid == config.grid &&
                     bound.config.block == config.block &&
                     bound.config.dynamic_shared_bytes == config.dynamic_shared_bytes && !bound.config.cooperative &&
                     bound.whole && !bound.timed && bound.processors == nullptr &&
                     bound.arrays.size() == arrays.size() && bound.packed.size() == launch.arguments.size();
  if (!alike) return false;
  const auto space = static_cast<memory::Space>(place);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ArrayUse& use = bound.arrays[i];
    if (!same(use, arrays[i].use) || use.array->id() != arrays[i].id || use.array->open_uses > 0) return false;
    if (use.used && use.begin < use.end && !use.array->is_there(space, use.begin, use.end, use.mode)) return false;
  }
  for (const ArrayUse& use : bound.arrays) {
    if (use.used && use.begin < use.end) use.array->use(space, use.begin, use.end, use.mode, now);
    if (use.mode == graph::Mode::write) [[unlikely]]
      use.array->modified(space, use.begin, use.end);
  }
  bound.place = place;
  bound.put_addresses();
  if (std::memcmp(launch.arguments.data(), bound.packed.data(), bound.packed.size()) == 0) return true;
  std::copy(bound.packed.begin(), bound.packed.end(), launch.arguments.begin());
  changed = true;
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
