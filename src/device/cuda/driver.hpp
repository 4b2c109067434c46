// The CUDA driver, libcuda.so.1, opened at run time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "device/cuda/driver_types.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cuda {

// One function of the driver for each line of driver_functions.def, found through cuGetProcAddress at the version that
// its declaration belongs to; optional ones are null in drivers that lack them. Immutable; any thread.
class Driver {
 public:
  // The process's driver; null when there is none that can be used: why() then has the reason, a sentence.
  static std::shared_ptr<const Driver> find();
  static std::string why();

  // The driver's description of a result: "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string describe(driver::Result result) const;
  // 13000 for CUDA 13.0: the newest CUDA that the driver knows.
  int version() const { return version_; }
  bool has_green_contexts() const { return green_create && green_stream_create && split_sms && describe_resources; }

  using Result = driver::Result;
  using DeviceNumber = driver::DeviceNumber;
  using Address = driver::Address;
  using Context = driver::Context;
  using ModuleHandle = driver::ModuleHandle;
  using FunctionHandle = driver::FunctionHandle;
  using Stream = driver::Stream;
  using EventHandle = driver::EventHandle;
  using GreenContext = driver::GreenContext;
  using ResourceDescriptor = driver::ResourceDescriptor;
  using MemoryPool = driver::MemoryPool;
  using Graph = driver::Graph;
  using GraphNode = driver::GraphNode;
  using GraphEdge = driver::GraphEdge;
  using GraphExec = driver::GraphExec;
  using KernelNode = driver::KernelNode;
  using BoxCopy = driver::BoxCopy;
  using Resource = driver::Resource;
  using MemoryAccess = driver::MemoryAccess;
  using PhysicalKind = driver::PhysicalKind;
  using LaunchSettings = driver::LaunchSettings;
  template <class F>
  using Pointer = F*;
#define HEDDLE_CUDA(member, name, version, parameters) Pointer<Result parameters> member = nullptr;
#define HEDDLE_CUDA_OPTIONAL HEDDLE_CUDA
#include "device/cuda/driver_functions.def"
#undef HEDDLE_CUDA
#undef HEDDLE_CUDA_OPTIONAL

 private:
  Driver() = default;
  static std::shared_ptr<const Driver> open(std::string& why);
  void find_functions(void* library);

  int version_ = 0;
};

// Whether the context can do nothing any more after this result: every later call gives it again.
bool is_sticky(driver::Result result);

}  // namespace heddle::device::cuda
