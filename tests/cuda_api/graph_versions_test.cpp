// The functions that CUDA 13 has under the names of CUDA 12's with other parameters; built against libcudart.so.13.
#include <gtest/gtest.h>

#include "cuda_api/abi/runtime.hpp"

extern "C" {
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  std::size_t count);
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* edges, std::size_t count, cudaGraphNodeParams* p);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edges, std::size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* edges, std::size_t count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              std::size_t* count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                         std::size_t* count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                           std::size_t* count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     std::size_t* count);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData* edges, std::size_t count, unsigned flags);
}

namespace {

TEST(Cudart13Graphs, EdgesHaveData) {
  cudaGraph_t g = nullptr;
  ASSERT_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
  cudaGraphNodeParams empty = {};
  empty.type = cudaGraphNodeTypeEmpty;
  cudaGraphNode_t a = nullptr, b = nullptr, c = nullptr, from[3] = {}, to[3] = {};
  ASSERT_EQ(cudaGraphAddNode(&a, g, nullptr, nullptr, 0, &empty), cudaSuccess);
  const cudaGraphEdgeData plain = {};
  ASSERT_EQ(cudaGraphAddNode(&b, g, &a, &plain, 1, &empty), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&c, g, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(g, &b, &c, nullptr, 1), cudaSuccess);
  cudaGraphEdgeData data[3] = {{1, 1, 1, {}}, {1, 1, 1, {}}, {1, 1, 1, {}}};
  std::size_t count = 3;
  ASSERT_EQ(cudaGraphGetEdges(g, from, to, data, &count), cudaSuccess);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(from[1], b);
  EXPECT_EQ(to[1], c);
  EXPECT_EQ(data[1].type, 0);
  count = 1;
  ASSERT_EQ(cudaGraphNodeGetDependencies(c, from, data, &count), cudaSuccess);
  EXPECT_EQ(from[0], b);
  ASSERT_EQ(cudaGraphNodeGetDependentNodes(a, to, nullptr, &count), cudaSuccess);
  EXPECT_EQ(to[0], b);
  ASSERT_EQ(cudaGraphRemoveDependencies(g, &b, &c, nullptr, 1), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, g, 0), cudaSuccess);
  cudaGraphExecUpdateResultInfo result = {};
  EXPECT_EQ(cudaGraphExecUpdate(exec, g, &result), cudaSuccess);
  EXPECT_EQ(result.result, cudaGraphExecUpdateSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(g), cudaSuccess);
}

TEST(Cudart13Graphs, CaptureIsToldWithEdges) {
  cudaStream_t s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t g = nullptr, ended = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 7;
  ASSERT_EQ(cudaStreamGetCaptureInfo(s, &status, &id, &g, &nodes, &edges, &count), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(count, 0u);
  cudaGraphNode_t own = nullptr;
  ASSERT_EQ(cudaGraphAddEmptyNode(&own, g, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamUpdateCaptureDependencies(s, &own, nullptr, 1, cudaStreamAddCaptureDependencies), cudaSuccess);
  ASSERT_EQ(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &nodes, &edges, &count), cudaSuccess);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], own);
  ASSERT_EQ(cudaStreamEndCapture(s, &ended), cudaSuccess);
  EXPECT_EQ(ended, g);
  EXPECT_EQ(cudaGraphDestroy(g), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
}

}  // namespace
