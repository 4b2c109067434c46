// The bare CUDA driver with its graphs, for the programs that Heddle is compared with: opened at run time, each call
// checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "device/cuda/driver_types.hpp"

namespace heddle::bench::grcuda {

namespace driver = device::cuda::driver;
using driver::Address;
using driver::Result;
using driver::Stream;
using Function = driver::FunctionHandle;
using Event = driver::EventHandle;
using Graph = struct GraphObject*;
using Node = struct GraphNodeObject*;
using Executable = struct GraphExecutableObject*;

// CUDA_KERNEL_NODE_PARAMS as of CUDA 12.
struct KernelNode {
  Function function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1, shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  driver::Context context = nullptr;
};
static_assert(sizeof(KernelNode) == 72);

// CUDA_MEMSET_NODE_PARAMS.
struct FillNode {
  Address address = 0;
  std::size_t row = 0;
  unsigned value = 0, value_bytes = 4;
  std::size_t width = 0, height = 1;  // width in values
};
static_assert(sizeof(FillNode) == 40);

// One function for each line of functions.def. A process's primary context of one GPU is current on the thread that
// opened it, as long as the object lives; use it from that thread.
class Cuda {
 public:
  static constexpr const char* library = "libcuda.so.1";
  // The first GPU of a driver's library. Null where there is none; `why` is then told the reason in a sentence.
  static std::unique_ptr<Cuda> open(std::string& why, const std::string& path = library, int ordinal = 0);
  ~Cuda();
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;

  // Throws for anything but success; `what` is what failed, as in "copying".
  void check(Result result, std::string_view what) const;

  std::string text() const;  // "NVIDIA H200, driver for CUDA 13.0"
  unsigned processors() const { return static_cast<unsigned>(processors_); }
  driver::Context context() const { return context_; }
  Stream stream() const { return stream_; }  // for what is not measured

  template <class F>
  using Pointer = F*;
#define HEDDLE_GRCUDA(member, name, version, parameters) Pointer<Result parameters> member = nullptr;
#include "functions.def"
#undef HEDDLE_GRCUDA

 private:
  Cuda() = default;
  bool find_functions(void* handle, std::string& why);
  bool start(int ordinal, std::string& why);
  std::string describe(Result result) const;

  driver::DeviceNumber number_ = 0;
  driver::Context context_ = nullptr;
  Stream stream_ = nullptr;
  int processors_ = 0;
};

}  // namespace heddle::bench::grcuda
