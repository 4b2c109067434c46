#include "cuda_api/core/graph_exec.hpp"

#include <algorithm>

#include "cuda_api/core/graph_condition.hpp"

namespace heddle::cuda_api {

// The graphs of a conditional node, made ready. Who runs them waits for them.
class GraphBodies {
 public:
  explicit GraphBodies(Context& context) : context_(context) {}
  GraphBodies(const GraphBodies&) = delete;
  GraphBodies& operator=(const GraphBodies&) = delete;
  ~GraphBodies() {
    for (CUgraphExec_st* body : bodies_) destroy_exec(*body);
  }
  void add(CUgraph_st& graph) {
    bodies_.push_back(&instantiate(graph, context_, 0, nullptr));
    CUgraphExec_st& made = *bodies_.back();
    made.queues[0] = context_.graph_lanes.take(context_.device());
    watched_.push_back(context_.graph_lanes.watch({*made.end}));
  }
  std::size_t count() const { return bodies_.size(); }
  // False when it has failed, which who waits for the stream is told.
  bool run(std::size_t number) const noexcept;

 private:
  Context& context_;
  std::vector<CUgraphExec_st*> bodies_;
  std::vector<std::shared_ptr<void>> watched_;
};

namespace {

Slots<CUgraphExec_st>& slots() {
  static Slots<CUgraphExec_st>* const made = new Slots<CUgraphExec_st>;  // never taken down, see Process
  return *made;
}

void collect_conditions(CUgraphExec_st& exec, const CUgraph_st& graph) {
  exec.conditions.insert(exec.conditions.end(), graph.conditions.begin(), graph.conditions.end());
  for (const CUgraphNode_st* node : graph.nodes)
    for (const CUgraph_st* within : graphs_within(node->command)) collect_conditions(exec, *within);
}

void collect(CUgraphExec_st& exec, CUgraph_st& graph) {
  exec.conditions.insert(exec.conditions.end(), graph.conditions.begin(), graph.conditions.end());
  for (CUgraphNode_st* node : graph.nodes) {
    exec.nodes[node->origin] = node;
    if (auto* child = std::get_if<ChildCommand>(&node->command)) collect(exec, *child->graph);
    if (auto* conditional = std::get_if<ConditionalCommand>(&node->command)) {
      conditional->made = std::make_shared<GraphBodies>(*exec.home);
      for (CUgraph_st* body : conditional->bodies) {
        conditional->made->add(*body);
        collect_conditions(exec, *body);
      }
    }
    if (auto* made = std::get_if<AllocateCommand>(&node->command)) exec.allocated.push_back(made->memory);
    if (auto* freed = std::get_if<FreeCommand>(&node->command)) exec.freed.push_back(freed->memory);
  }
}

// What a graph allocates and frees itself: the one must come before the other.
void check_memory(const CUgraph_st& graph, CUgraphNode_st** bad) {
  for (CUgraphNode_st* node : graph.nodes) {
    const auto* freed = std::get_if<FreeCommand>(&node->command);
    if (!freed) continue;
    const auto made = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const CUgraphNode_st* other) {
      const auto* command = std::get_if<AllocateCommand>(&other->command);
      return command && command->memory == freed->memory;
    });
    if (made == graph.nodes.end() || reaches(**made, *node)) continue;
    if (bad) *bad = node;
    throw Failure(cudaErrorInvalidValue, "a node frees memory without coming behind the node that allocates it");
  }
}

void prepare(const CUgraph_st& graph, CUgraphNode_st** bad) {
  for (CUgraphNode_st* node : graph.nodes) {
    try {
      if (const auto* kernel = std::get_if<KernelCommand>(&node->command)) kernel->prepare();
    } catch (...) {
      if (bad) *bad = node;
      throw;
    }
    for (const CUgraph_st* within : graphs_within(node->command)) {
      prepare(*within, bad);
      if (!topological_order(*within, bad)) throw Failure(cudaErrorInvalidValue, "the edges of a graph make a cycle");
    }
  }
}

void make_queues(CUgraphExec_st& exec) {
  const GraphPlan& plan = exec.plan;
  exec.queues.resize(plan.queues.size());
  for (std::size_t queue = 1; queue < plan.queues.size(); ++queue)
    exec.queues[queue] = plan.queues[queue]->graph_lanes.take(plan.queues[queue]->device());
  exec.events.resize(plan.nodes.size());
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const graph::Spread::Step& step = plan.spread.steps[i];
    if (step.recorded) exec.events[i] = plan.queues[step.queue]->device().untimed_event();
  }
  exec.fork = exec.home->device().untimed_event();
  exec.end = exec.home->device().untimed_event();
  std::vector<heddle::Event> ends;
  ends.reserve(plan.spread.tails.size());
  for (unsigned tail : plan.spread.tails) ends.push_back(*exec.events[tail]);
  exec.watched = ends.empty() ? nullptr : exec.home->graph_lanes.watch(std::move(ends));
}

void put_steps(CUgraphExec_st& exec, heddle::Queue& first) {
  const GraphPlan& plan = exec.plan;
  const auto queue_of = [&](unsigned queue) -> heddle::Queue& { return queue == 0 ? first : *exec.queues[queue]; };
  if (plan.queues.size() > 1) first.record(*exec.fork);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const graph::Spread::Step& step = plan.spread.steps[i];
    CUgraphNode_st* const node = plan.nodes[i];
    heddle::Queue& queue = queue_of(step.queue);
    if (step.begins) queue.wait(*exec.fork);
    for (unsigned awaited : step.waits) queue.wait(*exec.events[awaited]);
    if (node && node->enabled) put(node->command, queue);
    if (step.recorded) queue.record(*exec.events[i]);
  }
  for (unsigned tail : plan.spread.joins) first.wait(*exec.events[tail]);
  first.record(*exec.end);
}

bool frees_itself(const CUgraphExec_st& exec, const GraphMemory& memory) {
  return std::any_of(exec.freed.begin(), exec.freed.end(), [&](const auto& freed) { return freed.get() == &memory; });
}

// What a launch does to memory happens as it is made: addresses do not change. First all is checked.
void account(CUgraphExec_st& exec) {
  const bool automatic = (exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  for (const auto& memory : exec.allocated)
    if (!automatic && memory->is_live())
      throw Failure(cudaErrorInvalidValue, "a graph is launched again before what it has allocated was freed");
  const auto own = [&](const GraphMemory& memory) {
    return std::any_of(exec.allocated.begin(), exec.allocated.end(), [&](const auto& m) { return m.get() == &memory; });
  };
  for (const auto& memory : exec.freed)
    if (!own(*memory) && !memory->is_live())
      throw Failure(cudaErrorInvalidValue, "a graph that frees memory is launched when that is not allocated");
  for (const auto& memory : exec.freed) memory->set_live(false);
  for (const auto& memory : exec.allocated) {
    memory->set_live(true);
    if (frees_itself(exec, *memory)) memory->set_live(false);
  }
}

}  // namespace

CUgraphExec_st& instantiate(CUgraph_st& graph, Context& context, unsigned long long flags, CUgraphNode_st** bad) {
  CUgraphNode_st* node = nullptr;
  const bool memory = has_memory_nodes(graph);
  if (memory && graph.instantiated->load())
    throw Failure(cudaErrorInvalidValue,
                  "a graph with nodes that allocate or free memory has one executable graph at a time");
  try {
    check_memory(graph, &node);
    prepare(graph, &node);
    plan_graph(graph, context, &node);
  } catch (...) {
    if (bad) *bad = node;
    throw;
  }
  CUgraphExec_st& exec = slots().take();
  exec.home = &context;
  exec.epoch = context.epoch();
  exec.flags = flags;
  exec.graph = &clone_graph(graph, true);
  exec.graph->owned = true;
  exec.plan = plan_graph(*exec.graph, context, nullptr);
  collect(exec, *exec.graph);
  make_queues(exec);
  exec.last_stream = 0;
  exec.only = memory ? graph.instantiated : nullptr;
  if (exec.only) exec.only->store(true);
  exec.alive.store(true, std::memory_order_release);
  return exec;
}

CUgraphExec_st& exec_of(cudaGraphExec_t handle) {
  if (!slots().is_alive(handle))
    throw Failure(cudaErrorInvalidValue, "the executable graph was not made, or was destroyed");
  return *handle;
}

void destroy_exec(CUgraphExec_st& exec) {
  exec.alive.store(false, std::memory_order_release);
  {
    const base::Lock lock(exec.mutex);
    const bool current = exec.epoch == exec.home->epoch();
    struct Rest {
      std::vector<std::shared_ptr<GraphMemory>> memory;
      std::vector<std::unique_ptr<UserReferences>> objects;
      std::shared_ptr<void> watched;
    };
    auto rest = std::make_shared<Rest>();
    rest->memory = std::exchange(exec.allocated, {});
    rest->memory.insert(rest->memory.end(), exec.freed.begin(), exec.freed.end());
    exec.freed.clear();
    take_objects(*exec.graph, rest->objects);
    rest->watched = std::move(exec.watched);
    if (current && exec.last_stream != 0 && !exec.end->done())
      exec.home->graph_lanes.keep_until(*exec.end, std::move(rest));
    for (std::size_t queue = 0; queue < exec.queues.size(); ++queue)
      if (exec.queues[queue] && current) exec.plan.queues[queue]->graph_lanes.give(std::move(*exec.queues[queue]));
    exec.queues.clear();
    exec.events.clear();
    exec.fork.reset();
    exec.end.reset();
    exec.nodes.clear();
    destroy_graph(*exec.graph);
    exec.plan = {};
    exec.conditions.clear();
    if (exec.only) exec.only->store(false);
    exec.only.reset();
  }
  slots().give(exec);
}

void launch_graph(CUgraphExec_st& exec, CUstream_st& stream) {
  const base::Lock lock(exec.mutex);
  Context& context = *stream.context;
  if (exec.epoch != exec.home->epoch())
    throw Failure(cudaErrorInvalidValue, "the executable graph is of before cudaDeviceReset");
  account(exec);
  context.submit(stream, [&](heddle::Queue& queue) {
    const bool here = &context == exec.home;
    if (!here && !exec.queues[0]) exec.queues[0] = exec.home->graph_lanes.take(exec.home->device());
    heddle::Queue& first = here ? queue : *exec.queues[0];
    if (exec.last_stream != 0 && exec.last_stream != stream.id) first.wait(*exec.end);
    if (!here) {
      const heddle::Event begin = context.device().untimed_event();
      queue.record(begin);
      first.wait(begin);
    }
    for (const auto& memory : exec.allocated) memory->wait_for_free(first);
    exec.last_stream = stream.id;
    if (!exec.conditions.empty())
      first.call([conditions = exec.conditions] {
        for (const auto& condition : conditions) condition->begin_launch();
      });
    put_steps(exec, first);
    if (!here) queue.wait(*exec.end);
  });
}

bool GraphBodies::run(std::size_t number) const noexcept {
  CUgraphExec_st& body = *bodies_[number];
  try {
    const base::Lock lock(body.mutex);
    put_steps(body, *body.queues[0]);
    body.queues[0]->synchronize();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// The host decides, in the order of the queue.
void ConditionalCommand::put(heddle::Queue& queue) const {
  queue.call([asked = condition, type = type, bodies = made] {
    switch (type) {
      case cudaGraphCondTypeIf:
        if (asked->value() != 0)
          bodies->run(0);
        else if (bodies->count() > 1)
          bodies->run(1);
        return;
      case cudaGraphCondTypeWhile:
        while (asked->value() != 0 && bodies->run(0)) {
        }
        return;
      case cudaGraphCondTypeSwitch:
        if (const unsigned number = asked->value(); number < bodies->count()) bodies->run(number);
        return;
    }
  });
}

CUgraphNode_st& node_in(CUgraphExec_st& exec, cudaGraphNode_t node) {
  const auto found = exec.nodes.find(node_of(node).id);
  if (found == exec.nodes.end())
    throw Failure(cudaErrorInvalidValue, "the executable graph was made of a graph without the node");
  return *found->second;
}

}  // namespace heddle::cuda_api
