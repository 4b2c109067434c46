// The runtime API as tests call it: declared here, as a program's headers do. With it kernels, given as PTX that is
// registered as nvcc's programs register theirs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_api/abi/launch.hpp"
#include "cuda_api/abi/memory.hpp"
#include "cuda_api/abi/properties.hpp"
#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "support/wait_until.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
char __cudaInitModule(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaHeddleManaged(const void*, const void*);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceFlags(unsigned*);
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceProperties(heddle::cuda_api::abi::Properties11*, int);
cudaError_t cudaGetDeviceProperties_v2(heddle::cuda_api::abi::Properties12*, int);
cudaError_t cudaDeviceGetAttribute(int*, int, int);
cudaError_t cudaChooseDevice(int*, const heddle::cuda_api::abi::Properties11*);
cudaError_t cudaDeviceGetPCIBusId(char*, int, int);
cudaError_t cudaDeviceGetByPCIBusId(int*, const char*);
cudaError_t cudaDeviceGetLimit(std::size_t*, int);
cudaError_t cudaDeviceSetLimit(int, std::size_t);
cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned);

cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaMallocHost(void**, std::size_t);
cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent);
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
cudaError_t cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
cudaError_t cudaMemset3D(cudaPitchedPtr, int, cudaExtent);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMallocManaged(void**, std::size_t, unsigned);
cudaError_t cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
cudaError_t cudaGetSymbolAddress(void**, const void*);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemset(void*, int, std::size_t);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyBatchAsync(void**, void**, std::size_t*, std::size_t, heddle::cuda_api::abi::MemcpyAttributes*,
                                 std::size_t*, std::size_t, std::size_t*, cudaStream_t);
cudaError_t cudaMemAdvise(const void*, std::size_t, int, int);
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t);
cudaError_t cudaMemRangeGetAttribute(void*, std::size_t, int, const void*, std::size_t);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int);
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const heddle::cuda_api::abi::MemPoolProps*);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, int, void*);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*);
cudaError_t cudaMallocFromPoolAsync(void**, std::size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaBindTexture(std::size_t*, const void*, const void*, const void*, std::size_t);

cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned*);
cudaError_t cudaStreamGetAttribute(cudaStream_t, int, heddle::cuda_api::abi::AttributeValue*);
cudaError_t cudaStreamSetAttribute(cudaStream_t, int, const heddle::cuda_api::abi::AttributeValue*);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchKernelExC(const heddle::cuda_api::abi::LaunchConfig*, const void*, void**);
cudaError_t cudaFuncGetAttributes(heddle::cuda_api::abi::FunctionAttributes12*, const void*);
cudaError_t cudaFuncSetAttribute(const void*, int, int);
cudaError_t cudaFuncGetName(const char**, const void*);
cudaError_t cudaFuncGetParamInfo(const void*, std::size_t, std::size_t*, std::size_t*);
cudaError_t cudaGetKernel(void**, const void*);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t*, const void*, int, int);
cudaError_t cudaLibraryLoadData(void**, const void*, int*, void**, unsigned, int*, void**, unsigned);
cudaError_t cudaLibraryUnload(void*);
cudaError_t cudaLibraryGetKernel(void**, void*, const char*);
cudaError_t cudaLibraryGetKernelCount(unsigned*, void*);
cudaError_t cudaLibraryGetGlobal(void**, std::size_t*, void*, const char*);
cudaError_t cudaGetDriverEntryPoint(const char*, void**, unsigned long long, int*);
cudaError_t cudaGetExportTable(const void**, const void*);
}

namespace heddle::tests {

// Adds to x[i], i < n; stores at a null pointer; ends in a trap; uses shared memory, 100 bytes and what the launch
// gives.
inline constexpr const char* kernels_ptx = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 step = 1;
.visible .global .attribute(.managed) .align 4 .u32 shared_with_host = 5;
.visible .entry add(.param .u64 p_x, .param .u32 p_n, .param .u32 p_value) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u32 %r1, [p_n];
  ld.param.u32 %r7, [p_value];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r6, [%rd4];
  ld.global.u32 %r8, [step];
  mad.lo.u32 %r6, %r7, %r8, %r6;
  st.global.u32 [%rd4], %r6;
done:
  ret;
}
.visible .entry faults() {
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  st.global.u32 [%rd1], 1;
  ret;
}
.visible .entry traps() { trap; }
.visible .entry count_up() {
  .reg .b32 %r<2>;
  ld.global.u32 %r1, [shared_with_host];
  add.u32 %r1, %r1, 1;
  st.global.u32 [shared_with_host], %r1;
  ret;
}
.extern .shared .align 16 .b8 more[];
.visible .entry shares() .maxntid 256, 1, 1 {
  .shared .align 4 .b8 own[100];
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  st.shared.u32 [own], %r1;
  st.shared.u32 [more], %r1;
  ret;
}
)";

// Registers a text and its kernels for as long as it lives. Kernels are told apart by the address of a byte.
class Program {
 public:
  static constexpr int kernels = 5;
  explicit Program(const std::string& ptx = kernels_ptx) : Program(cuda_api::write_fat_binary({80, ptx})) {}
  explicit Program(std::vector<std::byte> fat_binary)
      : binary_(std::move(fat_binary)), wrapper_{0x466243b1, 1, binary_.data(), nullptr} {
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    const char* names[kernels] = {"add", "faults", "traps", "count_up", "shares"};
    for (int i = 0; i < kernels; ++i)
      __cudaRegisterFunction(handle_, &stubs_[i], nullptr, names[i], -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle_, &step_, nullptr, "step", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle_, &managed_, nullptr, "shared_with_host", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~Program() { __cudaUnregisterFatBinary(handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const void* add() const { return &stubs_[0]; }
  const void* faults() const { return &stubs_[1]; }
  const void* traps() const { return &stubs_[2]; }
  const void* count_up() const { return &stubs_[3]; }
  const void* shares() const { return &stubs_[4]; }
  const void* step() const { return &step_; }
  // As nvcc's code finds a managed variable.
  int* managed() { return __cudaInitModule(handle_) ? static_cast<int*>(managed_) : nullptr; }

  cudaError_t launch_add(void* x, std::uint32_t n, std::uint32_t value, cudaStream_t stream = nullptr) const {
    void* arguments[] = {&x, &n, &value};
    return cudaLaunchKernel(add(), {(n + 63) / 64}, {64}, arguments, 0, stream);
  }

 private:
  struct Wrapper {
    std::uint32_t magic, version;
    const void* data;
    const void* more;
  };
  std::vector<std::byte> binary_;
  Wrapper wrapper_;
  void** handle_ = nullptr;
  char stubs_[kernels] = {};
  char step_ = 0;
  void* managed_ = nullptr;
};

// The same text as code of heddle cc registers it, with `step` as a managed variable.
class ManagedProgram {
 public:
  ManagedProgram() {
    __cudaHeddleManaged(&section, &section + 1);
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFunction(handle_, &stub_, nullptr, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle_, reinterpret_cast<char*>(&section.step), nullptr, "step", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~ManagedProgram() { __cudaUnregisterFatBinary(handle_); }
  ManagedProgram(const ManagedProgram&) = delete;
  ManagedProgram& operator=(const ManagedProgram&) = delete;

  cudaError_t launch_add(void* x, std::uint32_t n, std::uint32_t value) const {
    void* arguments[] = {&x, &n, &value};
    return cudaLaunchKernel(&stub_, {(n + 63) / 64}, {64}, arguments, 0, nullptr);
  }
  // Not the compiler's section: a place for it.
  static inline struct {
    alignas(256) std::uint32_t step;
  } section = {};

 private:
  struct Wrapper {
    std::uint32_t magic, version;
    const void* data;
    const void* more;
  };
  std::vector<std::byte> binary_ = cuda_api::write_fat_binary({80, kernels_ptx});
  Wrapper wrapper_{0x466243b1, 1, binary_.data(), nullptr};
  void** handle_ = nullptr;
  char stub_ = 0;
};

// Holds up a stream until it is opened, or ends. What it waits for stays: it may look there once more after that.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }
  cudaError_t hold(cudaStream_t stream) {
    return cudaLaunchHostFunc(stream, [](void* open) { static_cast<std::atomic<bool>*>(open)->wait(false); }, &open_);
  }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  static std::atomic<bool>& new_flag() {
    static auto* const all = new std::deque<std::atomic<bool>>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    return all->emplace_back(false);
  }
  std::atomic<bool>& open_ = new_flag();
};

inline void set_flag(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }

inline bool comes(const std::atomic<bool>& flag) {
  return wait_until([&] { return flag.load(); });
}

// Work of a new stream, which waits for no other, has its turn: so has had what could run before. Needs a worker that
// is not held up.
inline cudaError_t let_others_run() {
  cudaStream_t stream = nullptr;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); error != cudaSuccess)
    return error;
  std::atomic<bool> ran{false};
  cudaError_t error = cudaLaunchHostFunc(stream, set_flag, &ran);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return error;
}

}  // namespace heddle::tests
