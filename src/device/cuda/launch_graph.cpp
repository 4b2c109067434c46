#include "device/cuda/launch_graph.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/queue.hpp"

namespace heddle::device::cuda {
namespace {

// What the driver is told of a launch; `pointers` receives what the parameters point to.
driver::KernelNode node_of(CudaFunction& function, const LaunchConfig& config, std::span<const std::byte> arguments,
                           std::vector<void*>& pointers) {
  pointers.clear();
  // The driver copies the arguments and does not write to them.
  for (const ParameterLayout& place : function.parameters())
    pointers.push_back(const_cast<std::byte*>(arguments.data()) + place.offset);
  return {.function = function.whole().handle(),
          .grid_x = config.grid.x,
          .grid_y = config.grid.y,
          .grid_z = config.grid.z,
          .block_x = config.block.x,
          .block_y = config.block.y,
          .block_z = config.block.z,
          .shared_bytes = config.dynamic_shared_bytes,
          .parameters = pointers.empty() ? nullptr : pointers.data()};
}

}  // namespace

CudaGraph::CudaGraph(std::shared_ptr<DeviceState> state, std::span<const GraphLaunch> launches)
    : state_(std::move(state)) {
  const Driver& cuda = state_->driver();
  const DeviceState::Current current(*state_);
  state_->check(cuda.graph_create(&graph_, 0), "making a graph");
  try {
    for (const GraphLaunch& launch : launches) add(launch);
    state_->check(cuda.graph_instantiate(&executable_, graph_, 0),
                  fmt::format("making a graph of {} launches", launches.size()));
  } catch (...) {
    cuda.graph_destroy(graph_);
    throw;
  }
}

CudaGraph::~CudaGraph() {
  if (state_->lost()) return;
  const DeviceState::Current current(*state_);
  state_->driver().graph_exec_destroy(executable_);
  state_->driver().graph_destroy(graph_);
}

void CudaGraph::add(const GraphLaunch& launch) {
  auto* function = dynamic_cast<CudaFunction*>(launch.function);
  if (!function || &function->module().state() != state_.get())
    base::fail(ErrorCode::invalid_argument, "a graph of {}: kernel '{}' was loaded on another device",
               state_->info().id, launch.function->ptx().name);
  if (launch.config.cooperative)
    base::fail(ErrorCode::unsupported, "a graph with a cooperative launch of kernel '{}'", function->ptx().name);
  function->whole().allow_shared(*state_, launch.config.dynamic_shared_bytes);
  std::vector<driver::GraphNode> parents;
  for (const unsigned parent : launch.parents) parents.push_back(nodes_[parent].handle);
  std::vector<void*> pointers;
  const driver::KernelNode node = node_of(*function, launch.config, launch.arguments, pointers);
  Node& added = nodes_.emplace_back(Node{nullptr, function, launch.config});
  state_->check(state_->driver().graph_add_kernel(&added.handle, graph_, parents.empty() ? nullptr : parents.data(),
                                                  parents.size(), &node),
                "adding kernel '" + function->ptx().name + "' to a graph");
  const std::string& name = function->ptx().name;
  if (std::find(kernels_.begin(), kernels_.end(), name) == kernels_.end()) kernels_.push_back(name);
}

void CudaGraph::set_arguments(unsigned place, std::span<const std::byte> arguments) {
  const Node& changed = nodes_.at(place);
  std::vector<void*> pointers;
  const driver::KernelNode node = node_of(*changed.function, changed.config, arguments, pointers);
  const DeviceState::Current current(*state_);
  state_->check(state_->driver().graph_exec_set_kernel(executable_, changed.handle, &node),
                "changing the arguments of kernel '" + changed.function->ptx().name + "' in a graph");
}

std::vector<LaunchGraph::Tail> CudaGraph::launch(Queue& queue) {
  auto* own = dynamic_cast<CudaQueue*>(&queue);
  if (!own) base::fail(ErrorCode::invalid_argument, "{}: the queue belongs to another device", state_->info().id);
  own->launch_graph(*this);
  return {};
}

}  // namespace heddle::device::cuda
