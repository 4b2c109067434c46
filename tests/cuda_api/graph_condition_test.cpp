// Conditional nodes: graphs that run, or run again, as kernels say.
#include <array>

#include "cuda_api/graph_support.hpp"

namespace heddle::tests {
namespace {

class GraphConditionTest : public GraphTest {
 protected:
  static cudaGraphConditionalHandle handle(cudaGraph_t of, unsigned value = 0, unsigned flags = 0) {
    cudaGraphConditionalHandle made = 0;
    EXPECT_EQ(cudaGraphConditionalHandleCreate(&made, of, value, flags), cudaSuccess);
    return made;
  }
  struct Made {
    cudaGraphNode_t node = nullptr;
    std::vector<cudaGraph_t> bodies;
  };
  static Made conditional(cudaGraph_t in, const std::vector<cudaGraphNode_t>& behind, cudaGraphConditionalHandle on,
                          cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional = {.handle = on, .type = type, .size = size, .phGraph_out = nullptr};
    Made made;
    EXPECT_EQ(cudaGraphAddNode(&made.node, in, behind.data(), behind.size(), &params), cudaSuccess);
    if (params.conditional.phGraph_out != nullptr)
      made.bodies.assign(params.conditional.phGraph_out, params.conditional.phGraph_out + size);
    return made;
  }
  static cudaGraphNode_t kernel_node(cudaGraph_t in, const std::vector<cudaGraphNode_t>& behind, const void* kernel,
                                     std::array<void*, 2> arguments) {
    const cudaKernelNodeParams p = {const_cast<void*>(kernel), dim3{1, 1, 1}, dim3{1, 1, 1}, 0,
                                    arguments.data(),          nullptr};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, in, behind.data(), behind.size(), &p), cudaSuccess);
    return node;
  }
  // Sets a condition.
  static cudaGraphNode_t set_node(cudaGraph_t in, cudaGraphConditionalHandle on, unsigned value) {
    return kernel_node(in, {}, kernels().condition, {&on, &value});
  }
};

TEST_F(GraphConditionTest, OneOfTwoGraphsRuns) {
  for (unsigned value : {0u, 1u, 7u}) {
    std::uint32_t* p = device_numbers(n);
    cudaGraph_t g = graph();
    const auto on = handle(g);
    const Made made = conditional(g, {set_node(g, on, value)}, on, cudaGraphCondTypeIf, 2);
    ASSERT_EQ(made.bodies.size(), 2u);
    axpb_node(made.bodies[0], {}, p, 1, 10);
    axpb_node(made.bodies[1], {}, p, 1, 20);
    axpb_node(g, {made.node}, p, 3, 1);
    cudaGraphExec_t exec = instantiate(g);
    cudaStream_t s = stream();
    run(exec, s);
    const std::uint32_t once = (value != 0 ? 10 : 20) * 3 + 1;
    EXPECT_EQ(read(p), std::vector<std::uint32_t>(n, once));
    run(exec, s);
    EXPECT_EQ(read(p)[n - 1], (once + (value != 0 ? 10 : 20)) * 3 + 1);
  }
}

TEST_F(GraphConditionTest, NothingRunsWhereNothingIsToRun) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  const auto on = handle(g), chosen = handle(g, 5, cudaGraphCondAssignDefault);
  const Made made = conditional(g, {}, on, cudaGraphCondTypeIf, 1);
  axpb_node(made.bodies[0], {}, p, 1, 10);
  const Made other = conditional(g, {made.node}, chosen, cudaGraphCondTypeSwitch, 3);
  for (cudaGraph_t body : other.bodies) axpb_node(body, {}, p, 1, 20);
  run(instantiate(g), stream());
  EXPECT_EQ(read(p), std::vector<std::uint32_t>(n, 0));
}

TEST_F(GraphConditionTest, TheGraphOfANumberRuns) {
  for (unsigned value : {0u, 1u, 2u}) {
    std::uint32_t* p = device_numbers(n);
    cudaGraph_t g = graph();
    const auto on = handle(g);
    const Made made = conditional(g, {set_node(g, on, value)}, on, cudaGraphCondTypeSwitch, 3);
    for (unsigned i = 0; i < 3; ++i) axpb_node(made.bodies[i], {}, p, 1, i + 1);
    run(instantiate(g), stream());
    EXPECT_EQ(read(p), std::vector<std::uint32_t>(n, value + 1));
  }
}

// While the first number, counted down, is not 0: twice as much of each number, in nodes side by side.
TEST_F(GraphConditionTest, AGraphRunsWhileItsConditionHolds) {
  std::uint32_t *count = device_numbers(1), *a = device_numbers(n), *b = device_numbers(n);
  cudaGraph_t g = graph();
  auto on = handle(g, 1, cudaGraphCondAssignDefault);
  const Made made = conditional(g, {}, on, cudaGraphCondTypeWhile, 1);
  cudaGraph_t body = made.bodies[0];
  kernel_node(body, {axpb_node(body, {}, a, 2, 1), axpb_node(body, {}, b, 3, 1)}, kernels().count_down, {&on, &count});
  cudaGraphExec_t exec = instantiate(g);
  cudaStream_t s = stream();
  const std::uint32_t turns = 5;
  for (int launch = 0; launch < 2; ++launch) {
    CHECK_CUDA(cudaMemcpy(count, &turns, 4, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(a, 0, n * 4));
    CHECK_CUDA(cudaMemset(b, 0, n * 4));
    run(exec, s);
    EXPECT_EQ(read(a), std::vector<std::uint32_t>(n, 31));
    EXPECT_EQ(read(b), std::vector<std::uint32_t>(n, 121));
  }
}

// As programs fill them: streams record into them, and the program has the graph already.
TEST_F(GraphConditionTest, AGraphWithinIsCaptured) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  const auto on = handle(g, 1, cudaGraphCondAssignDefault);
  const Made made = conditional(g, {}, on, cudaGraphCondTypeIf, 1);
  cudaStream_t s = stream();
  CHECK_CUDA(cudaStreamBeginCaptureToGraph(s, made.bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  axpb(s, p, 1, 4);
  CHECK_CUDA(cudaStreamEndCapture(s, nullptr));
  run(instantiate(g), s);
  EXPECT_EQ(read(p), std::vector<std::uint32_t>(n, 4));
  CHECK_CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaStreamEndCapture(s, nullptr), cudaErrorInvalidValue);
  cudaGraph_t other = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(s, &other));
  CHECK_CUDA(cudaGraphDestroy(other));
}

TEST_F(GraphConditionTest, ConditionsAreWithinOneAnother) {
  std::uint32_t *outer_count = device_numbers(1), *inner_count = device_numbers(1), *p = device_numbers(n);
  cudaGraph_t g = graph();
  auto outer = handle(g, 1, cudaGraphCondAssignDefault);
  const Made loop = conditional(g, {}, outer, cudaGraphCondTypeWhile, 1);
  cudaGraph_t body = loop.bodies[0];
  auto inner = handle(body, 0);
  // Three turns of two turns each; the inner count starts anew.
  cudaGraphNode_t fill = nullptr;
  const cudaMemsetParams two = {inner_count, 4, 2, 4, 1, 1};
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, body, nullptr, 0, &two));
  unsigned yes = 1;
  cudaGraphNode_t start = kernel_node(body, {fill}, kernels().condition, {&inner, &yes});
  const Made within = conditional(body, {start}, inner, cudaGraphCondTypeWhile, 1);
  cudaGraphNode_t step = axpb_node(within.bodies[0], {}, p, 1, 1);
  kernel_node(within.bodies[0], {step}, kernels().count_down, {&inner, &inner_count});
  kernel_node(body, {within.node}, kernels().count_down, {&outer, &outer_count});
  const std::uint32_t turns = 3;
  CHECK_CUDA(cudaMemcpy(outer_count, &turns, 4, cudaMemcpyHostToDevice));
  run(instantiate(g), stream());
  EXPECT_EQ(read(p), std::vector<std::uint32_t>(n, 6));
}

TEST_F(GraphConditionTest, WhatIsWrongIsRefused) {
  cudaGraph_t g = graph();
  const auto on = handle(g);
  cudaGraphConditionalHandle none = 0;
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&none, g, 0, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0), cudaErrorInvalidValue);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  cudaGraphNode_t node = nullptr;
  params.conditional = {.handle = on, .type = cudaGraphCondTypeWhile, .size = 2, .phGraph_out = nullptr};
  EXPECT_EQ(cudaGraphAddNode(&node, g, nullptr, 0, &params), cudaErrorInvalidValue);
  params.conditional.size = 0;
  EXPECT_EQ(cudaGraphAddNode(&node, g, nullptr, 0, &params), cudaErrorInvalidValue);
  params.conditional.size = 1;
  CHECK_CUDA(cudaGraphAddNode(&node, g, nullptr, 0, &params));
  EXPECT_EQ(cudaGraphDestroy(params.conditional.phGraph_out[0]), cudaErrorInvalidValue);  // the node's
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  CHECK_CUDA(cudaGraphNodeGetType(node, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeConditional);
  EXPECT_EQ(cudaGraphAddNode(&node, g, nullptr, 0, &params), cudaErrorInvalidValue);  // one node for a condition
  cudaGraphExec_t exec = instantiate(g);
  cudaGraphExecUpdateResultInfo info = {};
  EXPECT_EQ(cudaGraphExecUpdate(exec, g, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNotSupported);
}

// The program hears of it when it waits, and the loop ends.
TEST_F(GraphConditionTest, AFaultEndsALoop) {
  cudaGraph_t g = graph();
  const auto on = handle(g, 1, cudaGraphCondAssignDefault);
  const Made made = conditional(g, {}, on, cudaGraphCondTypeWhile, 1);
  const cudaKernelNodeParams p = {
      const_cast<void*>(kernels().fault), dim3{1, 1, 1}, dim3{1, 1, 1}, 0, nullptr, nullptr};
  cudaGraphNode_t node = nullptr;
  CHECK_CUDA(cudaGraphAddKernelNode(&node, made.bodies[0], nullptr, 0, &p));
  cudaGraphExec_t exec = instantiate(g);
  cudaStream_t s = stream();
  CHECK_CUDA(cudaGraphLaunch(exec, s));
  EXPECT_NE(cudaStreamSynchronize(s), cudaSuccess);
  cudaDeviceReset();
}

}  // namespace
}  // namespace heddle::tests
