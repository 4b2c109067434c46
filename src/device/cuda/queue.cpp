#include "device/cuda/queue.hpp"

#include <utility>

#include "base/fail.hpp"
#include "device/cuda/driver_graph.hpp"
#include "device/cuda/exact_cast.hpp"
#include "device/launch_check.hpp"

namespace heddle::device::cuda {
namespace {

// Throws invalid_argument for partitions of another table.
const CudaPartition* own_partition(const DeviceState& state, const PartitionTable& table, const Partition* partition) {
  if (!partition) return nullptr;
  const auto* own = dynamic_cast<const CudaPartition*>(partition);
  if (!own || own->table() != &table)
    base::fail(ErrorCode::invalid_argument, "{}: the partition belongs to another device", state.info().id);
  return own;
}

}  // namespace

CudaQueue::CudaQueue(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<PartitionTable> partitions,
                     std::shared_ptr<PoolTable> pools, std::shared_ptr<ProgressFlagTable> progress_flags,
                     Tracer* tracer, const QueueOptions& options)
    : partitions_(std::move(partitions)),
      commands_(state, tracer, options.priority,
                target_of(own_partition(*state, *partitions_, options.partition), *state)),
      grids_(commands_),
      parts_(commands_),
      pools_(commands_, std::move(pools)),
      copies_(device, commands_),
      progress_(device, commands_, copies_, std::move(progress_flags)) {}

// Commands in flight refer to the parts of the queue.
CudaQueue::~CudaQueue() { commands_.close(); }

void CudaQueue::launch(Function& function, const LaunchConfig& config, BlockRange range,
                       std::span<const std::byte> arguments) {
  CudaFunction& kernel = own_function(state(), function);
  check_launch(state().info(), kernel, config, range, arguments.size());
  const DeviceState::Current current(state());
  if (range.empty()) return;
  if (config.cooperative) grids_.check_cooperative(kernel, config, range);
  const bool whole = range.begin == 0 && range.end == config.grid.count();
  if (whole)
    grids_.launch(kernel, config, arguments);
  else
    parts_.launch(kernel, config, range, range.size(), arguments);
}

void CudaQueue::launch_parts(Function& function, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                             std::span<const std::byte> arguments) {
  CudaFunction& kernel = own_function(state(), function);
  check_launch(state().info(), kernel, config, range, arguments.size());
  check_parts(kernel, config, part);
  if (range.size() <= part) return launch(function, config, range, arguments);
  const DeviceState::Current current(state());
  parts_.launch(kernel, config, range, part, arguments);
}

std::shared_ptr<StoppableLaunch> CudaQueue::launch_stoppable(Function& function, const LaunchConfig& config,
                                                             BlockRange range, std::span<const std::byte> arguments,
                                                             unsigned residents) {
  CudaFunction& kernel = own_function(state(), function);
  check_stoppable(state().info(), kernel, config, range, arguments.size());
  const DeviceState::Current current(state());
  return pools_.launch(kernel, config, range, arguments, residents);
}

void CudaQueue::launch_graph(DriverGraph& graph) {
  if (graph.state() != &state())
    base::fail(ErrorCode::invalid_argument, "{}: the graph belongs to another device", state().info().id);
  state().check_lost();
  const DeviceState::Current current(state());
  commands_.put([this, &graph, kept = commands_.held_back() || graph.has_kept() ? graph.keep() : nullptr] {
    commands_.check(graph.start(commands_.current(), kept.get()), "launching a graph");
    for (const std::string& kernel : graph.kernels()) commands_.remember(kernel);
  });
}

void CudaQueue::set_partition(const Partition* partition) {
  const StreamTarget target = target_of(own_partition(state(), *partitions_, partition), state());
  state().check_lost();
  const DeviceState::Current current(state());
  commands_.set_target(target);
}

CudaEvent& CudaQueue::own_event(Event& event) const {
  auto* const own = exact_cast<CudaEvent>(event);
  if (!own || own->state() != &state())
    base::fail(ErrorCode::invalid_argument, "{}: the event belongs to another device", state().info().id);
  state().check_lost();
  return *own;
}

void CudaQueue::record(Event& event) {
  CudaEvent& own = own_event(event);
  const DeviceState::Current current(state());
  if (own.timed()) state().keep_time();
  commands_.record(own.next(&commands_, commands_.next_place()));
}

void CudaQueue::record_late(Event& event) {
  CudaEvent& own = own_event(event);
  if (own.timed() || commands_.traced() || commands_.held_back()) return record(event);
  const DeviceState::Current current(state());
  own.set(commands_.late_point());
}

void CudaQueue::wait(const Event& event) {
  state().check_lost();
  const DeviceState::Current current(state());
  if (const auto* const own = exact_cast<const CudaEvent>(event)) {
    if (const auto point = own->current()) commands_.wait(point);
    return;
  }
  if (auto point = event.point())
    if (!point->done()) commands_.wait_on_host(std::move(point));
}

void CudaQueue::call(std::function<void()> function) {
  state().check_lost();
  commands_.call(std::move(function));
}

void CudaQueue::call_with_stream(std::function<void(void* stream)> function) {
  state().check_lost();
  const DeviceState::Current current(state());
  commands_.put([this, function = std::move(function)] {
    const Tracer::Scope traced = commands_.trace(base::TraceEvent::Kind::call);
    const DeviceState::Foreign foreign(state());
    function(commands_.current());
  });
}

bool CudaQueue::idle() {
  if (commands_.held_back() || state().lost()) return false;
  const DeviceState::Current current(state());
  return commands_.idle();
}

}  // namespace heddle::device::cuda
