#include "runtime/replay_plan.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "graph/dag.hpp"
#include "runtime/buffer.hpp"

namespace heddle::runtime {
namespace {

// As in "splitmix64": neighbours become far apart.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

std::uint64_t both(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

}  // namespace

std::uint64_t LaunchCall::hash() const {
  std::uint64_t hash = mix(kernel.id(), anywhere ? ~std::uint64_t{0} : place);
  hash = mix(hash, both(options.grid.x, options.grid.y));
  hash = mix(hash, both(options.grid.z, options.shared));
  hash = mix(hash, both(options.block.x, options.block.y << 16 | options.block.z));
  for (const Argument& argument : arguments) {
    if (argument.kind() != Argument::Kind::array) continue;
    hash = mix(hash, argument.buffer()->id());
    hash = mix(hash, argument.offset() ^ std::uint64_t{argument.tag()} << 48);
    hash = mix(hash, argument.length());
  }
  return hash;
}

bool ReplayStep::take(const LaunchCall& call) {
  const LaunchOptions& options = call.options;
  const bool same = call.kernel.id() == kernel_id && call.anywhere == anywhere && (anywhere || call.place == place) &&
                    options.grid == launch.config.grid && options.block == launch.config.block &&
                    options.shared == launch.config.dynamic_shared_bytes && !options.blocks && !options.cooperative &&
                    !options.timed && options.processors.empty() && call.arguments.size() == values.size();
  if (!same) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    const Argument& argument = call.arguments[i];
    if (argument.tag() != value.tag) return false;
    if (value.is_array()) {
      if (argument.buffer() != value.buffer || value.buffer == nullptr || value.buffer->id() != value.buffer_id ||
          argument.offset() != value.offset || argument.length() != value.length)
        return false;
      if (value.begin < value.end && !value.buffer->is_there(place, value.begin, value.end, value.mode)) return false;
    } else if (argument.value().size() != value.size) {
      return false;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    if (value.is_array()) {
      if (value.begin < value.end) value.buffer->acquire(place, value.begin, value.end, value.mode);
      if (value.mode == graph::Mode::write) [[unlikely]]
        value.buffer->overwritten(place, value.begin, value.end);
      continue;
    }
    if (value.size == 0) continue;
    std::byte* const known = launch.arguments.data() + value.at;
    const std::byte* const given = call.arguments[i].value().data();
    if (std::memcmp(known, given, value.size) == 0) continue;
    std::memcpy(known, given, value.size);
    changed = true;
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

void ReplayPart::bring_up_to_date(device::Device& device) {
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

}  // namespace heddle::runtime
