#include "cuda_api/graph_support.hpp"

#include <cstdlib>

#include "cuda_api/image/fat_binary.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*, void*, void*,
                            int*);
void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t size, int, int);
}

namespace heddle::tests {
namespace {

constexpr const char* ptx = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .global .align 4 .b8 numbers[64];

.visible .entry axpb(.param .u64 p, .param .u32 factor, .param .u32 more, .param .u32 count)
{
  .reg .pred %out;
  .reg .b32 %i, %block, %size, %n, %value, %a, %b;
  .reg .b64 %base, %at;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %i, %tid.x;
  mad.lo.u32 %i, %block, %size, %i;
  ld.param.u32 %n, [count];
  setp.ge.u32 %out, %i, %n;
  @%out bra done;
  ld.param.u64 %base, [p];
  ld.param.u32 %a, [factor];
  ld.param.u32 %b, [more];
  mad.wide.u32 %at, %i, 4, %base;
  ld.global.u32 %value, [%at];
  mad.lo.u32 %value, %value, %a, %b;
  st.global.u32 [%at], %value;
done:
  ret;
}

.visible .entry gather(.param .u64 cells, .param .u64 list, .param .u32 count, .param .u32 mine)
{
  .reg .pred %out;
  .reg .b32 %i, %n, %sum, %from, %value, %own;
  .reg .b64 %cells, %list, %at;
  ld.param.u64 %cells, [cells];
  ld.param.u64 %list, [list];
  ld.param.u32 %n, [count];
  ld.param.u32 %own, [mine];
  mul.lo.u32 %sum, %own, 2654435761;
  mov.u32 %i, 0;
next:
  setp.ge.u32 %out, %i, %n;
  @%out bra done;
  mad.wide.u32 %at, %i, 4, %list;
  ld.global.u32 %from, [%at];
  mad.wide.u32 %at, %from, 4, %cells;
  ld.global.u32 %value, [%at];
  mad.lo.u32 %sum, %sum, 31, %value;
  add.u32 %i, %i, 1;
  bra next;
done:
  add.u32 %sum, %sum, 1;
  mad.wide.u32 %at, %own, 4, %cells;
  st.global.u32 [%at], %sum;
  ret;
}

.extern .func cudaGraphSetConditional
(
	.param .b64 cudaGraphSetConditional_param_0,
	.param .b32 cudaGraphSetConditional_param_1
)
;

.visible .entry condition(.param .u64 handle, .param .u32 value)
{
  .reg .b64 %handle;
  .reg .b32 %value;
  ld.param.u64 %handle, [handle];
  ld.param.u32 %value, [value];
  {
    .param .b64 param0;
    .param .b32 param1;
    st.param.b64 [param0], %handle;
    st.param.b32 [param1], %value;
    call.uni cudaGraphSetConditional, (param0, param1);
  }
  ret;
}

.visible .entry count_down(.param .u64 handle, .param .u64 p)
{
  .reg .b64 %handle, %p;
  .reg .b32 %value;
  ld.param.u64 %handle, [handle];
  ld.param.u64 %p, [p];
  ld.global.u32 %value, [%p];
  sub.u32 %value, %value, 1;
  st.global.u32 [%p], %value;
  {
    .param .b64 param0;
    .param .b32 param1;
    st.param.b64 [param0], %handle;
    st.param.b32 [param1], %value;
    call.uni cudaGraphSetConditional, (param0, param1);
  }
  ret;
}

.visible .entry fault()
{
  trap;
  ret;
}
)";

char axpb_stub, gather_stub, fault_stub, condition_stub, count_down_stub, numbers_shadow;

Kernels registered() {
  // The CPU device, whatever else the machine has.
  setenv("HEDDLE_RUN_DEVICE", "cpu", 1);
  static const std::vector<std::byte> binary = cuda_api::write_fat_binary({70, ptx});
  static struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = binary.data();
    const void* unused = nullptr;
  } wrapper;
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  const auto add = [&](const char* stub, const char* name) {
    __cudaRegisterFunction(handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  add(&axpb_stub, "axpb");
  add(&gather_stub, "gather");
  add(&fault_stub, "fault");
  add(&condition_stub, "condition");
  add(&count_down_stub, "count_down");
  __cudaRegisterVar(handle, &numbers_shadow, nullptr, "numbers", 0, 64, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  return {&axpb_stub, &gather_stub, &fault_stub, &condition_stub, &count_down_stub, &numbers_shadow};
}

}  // namespace

const Kernels& kernels() {
  static const Kernels made = registered();
  return made;
}

std::uint32_t gathered(const std::vector<std::uint32_t>& cells, const std::vector<std::uint32_t>& list,
                       std::uint32_t mine) {
  std::uint32_t sum = mine * 2654435761u;
  for (std::uint32_t from : list) sum = sum * 31 + cells[from];
  return sum + 1;
}

void GraphTest::SetUp() {
  kernels();
  cudaGetLastError();
}

void GraphTest::TearDown() {
  for (cudaGraphExec_t exec : execs_) cudaGraphExecDestroy(exec);
  for (cudaGraph_t graph : graphs_) cudaGraphDestroy(graph);
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
  for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  for (void* p : memory_) cudaFree(p);
}

cudaStream_t GraphTest::stream(unsigned flags) {
  cudaStream_t made = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&made, flags), cudaSuccess);
  streams_.push_back(made);
  return made;
}

cudaEvent_t GraphTest::event() {
  cudaEvent_t made = nullptr;
  EXPECT_EQ(cudaEventCreate(&made), cudaSuccess);
  events_.push_back(made);
  return made;
}

std::uint32_t* GraphTest::device_numbers(std::size_t count, int byte) {
  void* made = nullptr;
  EXPECT_EQ(cudaMalloc(&made, count * sizeof(std::uint32_t)), cudaSuccess);
  EXPECT_EQ(cudaMemset(made, byte, count * sizeof(std::uint32_t)), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  memory_.push_back(made);
  return static_cast<std::uint32_t*>(made);
}

std::vector<std::uint32_t> GraphTest::read(const std::uint32_t* p, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  EXPECT_EQ(cudaMemcpy(values.data(), p, count * sizeof(std::uint32_t), cudaMemcpyDeviceToHost), cudaSuccess);
  return values;
}

void GraphTest::axpb(cudaStream_t into, std::uint32_t* p, std::uint32_t factor, std::uint32_t more) {
  AxpbArguments arguments(p, factor, more);
  EXPECT_EQ(cudaLaunchKernel(kernels().axpb, dim3{8, 1, 1}, dim3{128, 1, 1}, arguments.pointers, 0, into), cudaSuccess);
}

cudaGraphNode_t GraphTest::axpb_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& behind, std::uint32_t* p,
                                     std::uint32_t factor, std::uint32_t more) {
  AxpbArguments arguments(p, factor, more);
  const cudaKernelNodeParams parameters = arguments.node();
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, behind.data(), behind.size(), &parameters), cudaSuccess);
  return node;
}

cudaGraphNode_t GraphTest::host_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& behind, cudaHostFn_t call,
                                     void* data) {
  const cudaHostNodeParams parameters = {call, data};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddHostNode(&node, graph, behind.data(), behind.size(), &parameters), cudaSuccess);
  return node;
}

cudaGraphNode_t GraphTest::empty_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& behind) {
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddEmptyNode(&node, graph, behind.data(), behind.size()), cudaSuccess);
  return node;
}

cudaGraph_t GraphTest::graph() {
  cudaGraph_t made = nullptr;
  EXPECT_EQ(cudaGraphCreate(&made, 0), cudaSuccess);
  graphs_.push_back(made);
  return made;
}

cudaGraphExec_t GraphTest::instantiate(cudaGraph_t graph) {
  cudaGraphExec_t made = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&made, graph, 0ull), cudaSuccess);
  if (made) execs_.push_back(made);
  return made;
}

void GraphTest::run(cudaGraphExec_t exec, cudaStream_t into) {
  EXPECT_EQ(cudaGraphLaunch(exec, into), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(into), cudaSuccess);
}

std::vector<cudaGraphNode_t> GraphTest::nodes(cudaGraph_t graph) {
  std::size_t count = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  std::vector<cudaGraphNode_t> all(count);
  EXPECT_EQ(cudaGraphGetNodes(graph, all.data(), &count), cudaSuccess);
  return all;
}

}  // namespace heddle::tests
