// What the tests of graphs share: the calls of libcudart, kernels in PTX that are registered as nvcc's code does it,
// and the numbers that they compute, for the host.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cuda_api/abi/runtime.hpp"

#include "compile/headers/heddle/runtime_functions.h"

extern "C" {
cudaError_t cudaLaunchKernel_ptsz(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                  cudaStream_t stream);
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph);
}

namespace heddle::tests {

// What the program launches, as addresses of stubs.
struct Kernels {
  const void* axpb;        // (u32* p, u32 factor, u32 more, u32 n): p[i] = p[i] * factor + more
  const void* gather;      // (u32* cells, const u32* list, u32 count, u32 mine): see gathered()
  const void* fault;       // (): traps
  const void* condition;   // (u64 handle, u32 value): sets a condition
  const void* count_down;  // (u64 handle, u32* p): one less, and that is the condition
  const void* numbers;     // u32 numbers[16], a __device__ variable
};
const Kernels& kernels();

// What gather leaves in a cell.
std::uint32_t gathered(const std::vector<std::uint32_t>& cells, const std::vector<std::uint32_t>& list,
                       std::uint32_t mine);

// As cudaGraphNodeParams has it.
inline cudaKernelNodeParamsV2 node_v2(const cudaKernelNodeParams& p) {
  return {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
}

inline ::testing::AssertionResult succeeded(const char* text, cudaError_t code) {
  if (code == cudaSuccess) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text << " gave error " << static_cast<int>(code);
}
#define CHECK_CUDA(call) ASSERT_PRED_FORMAT1(heddle::tests::succeeded, (call))

// Streams, events and memory that go with the test.
class GraphTest : public ::testing::Test {
 protected:
  static constexpr unsigned n = 1000;

  void SetUp() override;
  void TearDown() override;
  cudaStream_t stream(unsigned flags = cudaStreamNonBlocking);
  cudaEvent_t event();
  std::uint32_t* device_numbers(std::size_t count, int byte = 0);
  std::vector<std::uint32_t> read(const std::uint32_t* p, std::size_t count = n);

  // p[i] = p[i] * factor + more, of n numbers.
  void axpb(cudaStream_t into, std::uint32_t* p, std::uint32_t factor, std::uint32_t more);
  cudaGraphNode_t axpb_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& behind, std::uint32_t* p,
                            std::uint32_t factor, std::uint32_t more);
  cudaGraphNode_t host_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& behind, cudaHostFn_t call,
                            void* data);
  cudaGraphNode_t empty_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& behind);
  cudaGraph_t graph();
  cudaGraphExec_t instantiate(cudaGraph_t graph);
  void run(cudaGraphExec_t exec, cudaStream_t into);  // and waits
  static std::vector<cudaGraphNode_t> nodes(cudaGraph_t graph);

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  std::vector<void*> memory_;
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> execs_;
};

// The arguments of axpb as a launch takes them.
struct AxpbArguments {
  std::uint32_t* p;
  std::uint32_t factor, more, count;
  void* pointers[4] = {&p, &factor, &more, &count};
  AxpbArguments(std::uint32_t* p_, std::uint32_t factor_, std::uint32_t more_, std::uint32_t count_ = 1000)
      : p(p_), factor(factor_), more(more_), count(count_) {}
  cudaKernelNodeParams node() {
    return {const_cast<void*>(kernels().axpb), dim3{(count + 127) / 128, 1, 1}, dim3{128, 1, 1}, 0, pointers, nullptr};
  }
};

}  // namespace heddle::tests
