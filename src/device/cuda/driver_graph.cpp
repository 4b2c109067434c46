#include "device/cuda/driver_graph.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "base/log.hpp"
#include "device/cuda/launch_grid.hpp"
#include "device/cuda/module.hpp"
#include "device/line.hpp"

namespace heddle::device::cuda {
namespace {

// A graph that is launched so often is worth compiling for.
constexpr unsigned link_after = 16;

CudaFunction& function_in(const GraphLaunch& launch) { return static_cast<CudaFunction&>(*launch.function); }

// What the driver is told of a launch; `pointers` receives what the parameters point to.
driver::KernelNode node_of(const GraphLaunch& launch, const DriverFunction& function,
                           std::span<const std::byte> arguments, std::vector<void*>& pointers) {
  pointers = pointers_into(arguments, launch.function->parameters());
  const LaunchConfig& config = launch.config;
  return {.function = function.handle(),
          .grid_x = config.grid.x,
          .grid_y = config.grid.y,
          .grid_z = config.grid.z,
          .block_x = config.block.x,
          .block_y = config.block.y,
          .block_z = config.block.z,
          .shared_bytes = config.dynamic_shared_bytes,
          .parameters = pointers.empty() ? nullptr : pointers.data()};
}

// Links between launches that leave an SM to spare for each block: where there are more blocks, each block's saying
// that the next launch may begin takes longer than is gained.
std::vector<bool> find_links(const DeviceState& state, std::span<const GraphLaunch> launches) {
  std::vector<bool> links = launches_in_line(launches);
  if (!state.launches_early()) links.assign(links.size(), false);
  const auto most = static_cast<std::uint64_t>(state.attribute(driver::DeviceAttribute::multiprocessors));
  const auto is_small = [&](const GraphLaunch& launch) {
    return launch.config.grid.count() <= most && !function_in(launch).module().stoppable();
  };
  for (std::size_t i = 1; i < links.size(); ++i)
    links[i] = links[i] && is_small(launches[i - 1]) && is_small(launches[i]);
  return links;
}

}  // namespace

DriverGraph::DriverGraph(std::shared_ptr<DeviceState> state, std::span<const GraphLaunch> launches)
    : state_(std::move(state)), launches_(launches.begin(), launches.end()) {
  for (const GraphLaunch& launch : launches_) check(launch);
  const DeviceState::Current current(*state_);
  made_ = make();
  given_ = keep()->arguments;
  can_link_ = find_links(*state_, launches_);
  if (std::find(can_link_.begin(), can_link_.end(), true) == can_link_.end()) can_link_.clear();
}

DriverGraph::~DriverGraph() {
  if (state_->gone()) return;
  const DeviceState::Current current(*state_);
  destroy(made_);
  destroy(unlinked_);
}

void DriverGraph::destroy(const Made& made) const {
  if (made.executable) state_->driver().graph_exec_destroy(made.executable);
  if (made.graph) state_->driver().graph_destroy(made.graph);
}

void DriverGraph::check(const GraphLaunch& launch) {
  auto* function = dynamic_cast<CudaFunction*>(launch.function);
  if (!function || &function->module().state() != state_.get())
    base::fail(ErrorCode::invalid_argument, "a graph of {}: kernel '{}' was loaded on another device",
               state_->info().id, base::demangled(launch.function->ptx().name));
  if (launch.config.cooperative)
    base::fail(ErrorCode::unsupported, "a graph with a cooperative launch of kernel '{}'",
               base::demangled(function->ptx().name));
  const std::string& name = function->ptx().name;
  if (std::find(kernels_.begin(), kernels_.end(), name) == kernels_.end()) kernels_.push_back(name);
}

DriverFunction& DriverGraph::function_of(unsigned place) const {
  CudaFunction& function = function_in(launches_[place]);
  DriverFunction* linked = nullptr;
  if (is_linked(place) || is_linked(place + 1))
    linked = function.dependent_form().function(launches_[place].config.block.count());
  return linked ? *linked : function.whole();
}

DriverGraph::Made DriverGraph::make() const {
  const Driver& cuda = state_->driver();
  Made made;
  state_->check(cuda.graph_create(&made.graph, 0), "making a graph");
  try {
    for (unsigned place = 0; place < launches_.size(); ++place) add(made, place);
    state_->check(cuda.graph_instantiate(&made.executable, made.graph, 0),
                  fmt::format("making a graph of {} launches", launches_.size()));
  } catch (...) {
    destroy(made);
    throw;
  }
  return made;
}

void DriverGraph::add(Made& made, unsigned place) const {
  const GraphLaunch& launch = launches_[place];
  DriverFunction& function = function_of(place);
  const std::string what = "adding kernel '" + launch.function->ptx().name + "' to a graph";
  function.allow_shared(*state_, launch.config.dynamic_shared_bytes);
  std::vector<driver::GraphNode> parents;
  if (!is_linked(place))
    for (const unsigned parent : launch.parents) parents.push_back(made.nodes[parent]);
  std::vector<void*> pointers;
  const driver::KernelNode node = node_of(launch, function, launch.arguments, pointers);
  const Driver& cuda = state_->driver();
  driver::GraphNode& added = made.nodes.emplace_back();
  state_->check(
      cuda.graph_add_kernel(&added, made.graph, parents.empty() ? nullptr : parents.data(), parents.size(), &node),
      what);
  if (!is_linked(place)) return;
  const driver::GraphEdge edge{.from_port = driver::graph_port_programmatic, .type = driver::graph_edge_programmatic};
  state_->check(cuda.graph_add_edges(made.graph, &made.nodes[place - 1], &added, &edge, 1), what);
}

void DriverGraph::try_to_link() {
  bool decided = true;
  std::vector<bool> linked(can_link_.size(), false);
  const auto form = [this](std::size_t i) -> DependentForm& { return function_in(launches_[i]).dependent_form(); };
  const auto has_form = [&](std::size_t i) { return form(i).function(launches_[i].config.block.count()) != nullptr; };
  for (std::size_t i = 1; i < can_link_.size(); ++i) {
    if (!can_link_[i]) continue;
    const bool before = form(i - 1).decided(), own = form(i).decided();  // both are asked, as that begins to make them
    decided = decided && before && own;
    linked[i] = decided && has_form(i - 1) && has_form(i);
  }
  if (!decided) return;
  can_link_.clear();
  const auto links = std::count(linked.begin(), linked.end(), true);
  if (links == 0) return;
  linked_ = std::move(linked);
  try {
    unlinked_ = std::exchange(made_, make());
    given_ = keep()->arguments;
    base::log_debug("a graph of {} launches: {} begin while the one before ends", launches_.size(), links);
  } catch (const Error& error) {
    linked_.clear();
    if (state_->lost()) throw;  // nobody else is told why
    base::log_debug("launches of a graph do not begin while the one before ends: {}", error.what());
  }
}

std::shared_ptr<const DriverGraph::Kept> DriverGraph::keep() const {
  auto kept = std::make_shared<Kept>();
  kept->arguments.reserve(launches_.size());
  for (const GraphLaunch& launch : launches_) kept->arguments.push_back(launch.arguments);
  kept->token = token_;
  return kept;
}

void DriverGraph::update(unsigned place, std::span<const std::byte> arguments) {
  std::vector<void*> pointers;
  const driver::KernelNode node = node_of(launches_[place], function_of(place), arguments, pointers);
  state_->check(state_->driver().graph_exec_set_kernel(made_.executable, made_.nodes[place], &node),
                "changing the arguments of kernel '" + launches_[place].function->ptx().name + "' in a graph");
  given_[place].assign(arguments.begin(), arguments.end());
}

void DriverGraph::set_arguments(unsigned place, std::span<const std::byte> arguments) {
  launches_.at(place).arguments.assign(arguments.begin(), arguments.end());
  const base::Lock lock(mutex_);
  if (has_kept()) {
    outdated_ = true;
    return;
  }
  const DeviceState::Current current(*state_);
  update(place, arguments);
}

driver::Result DriverGraph::start(driver::Stream stream, const Kept* kept) {
  const base::Lock lock(mutex_);
  outdated_ = outdated_ || kept != nullptr;
  if (outdated_) {
    for (unsigned place = 0; place < launches_.size(); ++place) {
      const std::vector<std::byte>& wanted = kept ? kept->arguments[place] : launches_[place].arguments;
      if (wanted != given_[place]) update(place, wanted);
    }
  }
  outdated_ = kept != nullptr;
  return state_->driver().graph_launch(made_.executable, stream);
}

void DriverGraph::count_launch() {
  if (can_link_.empty() || ++launched_ <= link_after) return;
  const DeviceState::Current current(*state_);
  const base::Lock lock(mutex_);
  try_to_link();
}

}  // namespace heddle::device::cuda
