// Both APIs in one process: streams, pointers, events, contexts and errors are the same things.
#include "cuda_api/driver_support.hpp"

extern "C" {
cudaError_t cudaMalloc(void** p, std::size_t size);
cudaError_t cudaFree(void* p);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaGetLastError();
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block,
                                                          std::size_t shared);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* kernel, int blocks, int block);
}

namespace heddle::tests {
namespace {

class DriverInterop : public Driver {
  void SetUp() override {
    ASSERT_CUDA(cuInit(0));
    ASSERT_CUDA(cuCtxSetCurrent(nullptr));
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    ASSERT_CUDA(cuCtxGetCurrent(&context));
  }
  void TearDown() override { cuCtxPopCurrent_v2(nullptr); }
};

TEST_F(DriverInterop, BothSayTheSameOfADevice) {
  for (int attribute = 1; attribute <= 147; ++attribute) {
    int of_driver = -7, of_runtime = -7;
    if (cudaDeviceGetAttribute(&of_runtime, static_cast<cudaDeviceAttr>(attribute), device) != cudaSuccess) continue;
    EXPECT_CUDA(cuDeviceGetAttribute(&of_driver, static_cast<CUdevice_attribute>(attribute), device));
    EXPECT_EQ(of_driver, of_runtime) << "attribute " << attribute;
  }
}

// Programs of nvcc's default ask the driver, others the runtime.
TEST_F(DriverInterop, BothSayTheSameOfAKernel) {
  const CUfunction add = function(load(add_ptx), "add");
  for (const int threads : {1, 32, 100, 1024, 1025}) {
    int of_driver = -7, of_runtime = -8;
    EXPECT_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&of_driver, add, threads, 1024));
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_runtime, add, threads, 1024), cudaSuccess);
    EXPECT_EQ(of_driver, of_runtime) << threads;
  }
  std::size_t of_driver = 7, of_runtime = 8;
  EXPECT_CUDA(cuOccupancyAvailableDynamicSMemPerBlock(&of_driver, add, 4, 128));
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&of_runtime, add, 4, 128), cudaSuccess);
  EXPECT_EQ(of_driver, of_runtime);
}

TEST_F(DriverInterop, TheRuntimesContextIsTheDevicesOwn) {
  CUcontext primary = nullptr;
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_EQ(primary, context);
  unsigned flags = 0;
  int active = 0, current = -1;
  ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(0));
  ASSERT_CUDA(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);  // the runtime API uses it still
  // What the runtime allocates goes to the context that the driver API has made current.
  CUcontext second = nullptr;
  ASSERT_CUDA(cuCtxCreate_v2(&second, 0, 0));
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 16), cudaSuccess);
  EXPECT_CUDA(cuPointerGetAttribute(&primary, CU_POINTER_ATTRIBUTE_CONTEXT, reinterpret_cast<CUdeviceptr>(p)));
  EXPECT_EQ(primary, second);
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
  ASSERT_CUDA(cuCtxDestroy_v2(second));
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(DriverInterop, StreamsPointersAndEventsAreShared) {
  void* p = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 16), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  auto address = reinterpret_cast<CUdeviceptr>(p);
  EXPECT_CUDA(cuMemsetD32Async(address, 40, 4, stream));
  const CUmodule module = load(add_ptx);
  unsigned value = 2;
  void* arguments[] = {&address, &value};
  EXPECT_CUDA(cuLaunchKernel(function(module, "add"), 1, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr));
  EXPECT_CUDA(cuEventRecord(event, stream));
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  unsigned values[4] = {};
  EXPECT_EQ(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(values[3], 42u);
  EXPECT_CUDA(cuStreamDestroy_v2(stream));
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(cuMemFree_v2(address));
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(DriverInterop, TheDriversErrorsAreNotTheRuntimesLastOne) {
  cudaGetLastError();  // what other tests have left
  EXPECT_EQ(cuMemFree_v2(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace heddle::tests
