// Properties and attributes of devices. The structure differs between the versions of CUDA: compiled for each.
#include <algorithm>
#include <cstring>

#include "cuda_api/abi/properties.hpp"
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

#if HEDDLE_CUDART_MAJOR >= 13
using Properties = abi::Properties13;
#else
using Properties = abi::Properties11;
#endif

class Asked {
 public:
  explicit Asked(const Context& context) : context_(context) {}
  // The attribute; 0 for one that the device's driver does not know.
  int operator()(int number) const { return attribute(context_, number).value_or(0); }
  template <class... Numbers>
  void operator()(int* to, Numbers... numbers) const {
    ((*to++ = (*this)(numbers)), ...);
  }

 private:
  const Context& context_;
};

template <class P>
void fill_limits(P& p, const Asked& ask) {
  p.sharedMemPerBlock = static_cast<std::size_t>(ask(8));
  p.regsPerBlock = ask(12);
  p.warpSize = ask(10);
  p.memPitch = static_cast<std::size_t>(ask(11));
  p.maxThreadsPerBlock = ask(1);
  ask(p.maxThreadsDim, 2, 3, 4);
  ask(p.maxGridSize, 5, 6, 7);
  p.totalConstMem = static_cast<std::size_t>(ask(9));
  p.multiProcessorCount = ask(16);
  p.maxThreadsPerMultiProcessor = ask(39);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(ask(81));
  p.regsPerMultiprocessor = ask(82);
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(ask(97));
  p.maxBlocksPerMultiProcessor = ask(106);
  p.persistingL2CacheMaxSize = ask(108);
  p.accessPolicyMaxWindowSize = ask(109);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(ask(111));
}

template <class P>
void fill_textures(P& p, const Asked& ask) {
  p.textureAlignment = static_cast<std::size_t>(ask(14));
  p.texturePitchAlignment = static_cast<std::size_t>(ask(51));
  p.surfaceAlignment = static_cast<std::size_t>(ask(30));
  p.maxTexture1D = ask(21);
  p.maxTexture1DMipmap = ask(77);
  ask(p.maxTexture2D, 22, 23);
  ask(p.maxTexture2DMipmap, 73, 74);
  ask(p.maxTexture2DLinear, 70, 71, 72);
  ask(p.maxTexture2DGather, 45, 46);
  ask(p.maxTexture3D, 24, 25, 26);
  ask(p.maxTexture3DAlt, 47, 48, 49);
  p.maxTextureCubemap = ask(52);
  ask(p.maxTexture1DLayered, 42, 43);
  ask(p.maxTexture2DLayered, 27, 28, 29);
  ask(p.maxTextureCubemapLayered, 53, 54);
  p.maxSurface1D = ask(55);
  ask(p.maxSurface2D, 56, 57);
  ask(p.maxSurface3D, 58, 59, 60);
  ask(p.maxSurface1DLayered, 61, 62);
  ask(p.maxSurface2DLayered, 63, 64, 65);
  p.maxSurfaceCubemap = ask(66);
  ask(p.maxSurfaceCubemapLayered, 67, 68);
}

template <class P>
void fill_abilities(P& p, const Asked& ask) {
  p.integrated = ask(18);
  p.canMapHostMemory = ask(19);
  p.concurrentKernels = ask(31);
  p.ECCEnabled = ask(32);
  p.pciBusID = ask(33);
  p.pciDeviceID = ask(34);
  p.pciDomainID = ask(50);
  p.tccDriver = ask(35);
  p.asyncEngineCount = ask(40);
  p.unifiedAddressing = ask(41);
  p.memoryBusWidth = ask(37);
  p.l2CacheSize = ask(38);
  p.streamPrioritiesSupported = ask(78);
  p.globalL1CacheSupported = ask(79);
  p.localL1CacheSupported = ask(80);
  p.managedMemory = ask(83);
  p.isMultiGpuBoard = ask(84);
  p.multiGpuBoardGroupID = ask(85);
  p.hostNativeAtomicSupported = ask(86);
  p.pageableMemoryAccess = ask(88);
  p.concurrentManagedAccess = ask(89);
  p.computePreemptionSupported = ask(90);
  p.canUseHostPointerForRegisteredMem = ask(91);
  p.cooperativeLaunch = ask(95);
  p.pageableMemoryAccessUsesHostPageTables = ask(100);
  p.directManagedMemAccessFromHost = ask(101);
}

// What CUDA 13 has no more.
template <class P>
void fill_old(P& p, const Asked& ask) {
  p.clockRate = ask(13);
  p.deviceOverlap = ask(15);
  p.kernelExecTimeoutEnabled = ask(17);
  p.computeMode = ask(20);
  p.maxTexture1DLinear = ask(69);
  p.memoryClockRate = ask(36);
  p.singleToDoublePrecisionPerfRatio = ask(87);
}

// What CUDA 12 has brought.
template <class P>
void fill_new(P& p, const Asked& ask) {
  p.hostRegisterSupported = ask(99);
  p.sparseCudaArraySupported = ask(112);
  p.hostRegisterReadOnlySupported = ask(113);
  p.timelineSemaphoreInteropSupported = ask(114);
  p.memoryPoolsSupported = ask(115);
  p.gpuDirectRDMASupported = ask(116);
  p.gpuDirectRDMAFlushWritesOptions = static_cast<unsigned>(ask(117));
  p.gpuDirectRDMAWritesOrdering = ask(118);
  p.memoryPoolSupportedHandleTypes = static_cast<unsigned>(ask(119));
  p.deferredMappingCudaArraySupported = ask(121);
  p.ipcEventSupported = ask(125);
  p.clusterLaunch = ask(120);
}

template <class P>
void fill(P& p, const Context& context) {
  const Asked ask(context);
  p = {};
  const std::string name = device_name(context), id = "heddle:" + pci_id(context);
  std::memcpy(p.name, name.data(), std::min(name.size(), sizeof p.name - 1));
  std::memcpy(p.uuid, id.data() + id.size() - std::min(id.size(), sizeof p.uuid), std::min(id.size(), sizeof p.uuid));
  p.totalGlobalMem = context.info().memory_bytes;
  p.major = ask(75);
  p.minor = ask(76);
  fill_limits(p, ask);
  fill_textures(p, ask);
  fill_abilities(p, ask);
  if constexpr (requires { p.clockRate; }) fill_old(p, ask);
  if constexpr (requires { p.clusterLaunch; }) fill_new(p, ask);
  if constexpr (requires { p.hostNumaId; }) {
    p.deviceNumaConfig = ask(130);
    p.deviceNumaId = ask(131);
    p.mpsEnabled = ask(133);
    p.hostNumaId = ask(134);
    p.gpuPciDeviceID = static_cast<unsigned>(ask(139));
    p.gpuPciSubsystemID = static_cast<unsigned>(ask(140));
  }
}

template <class P>
cudaError_t get(const char* function, P* properties, int device) {
  return guarded(function, [&] {
    require(properties, cudaErrorInvalidValue, "no place for the properties");
    fill(*properties, Process::get().context(device));
  });
}

// How many of a program's wishes a device fulfils.
int fulfilled(const Properties& wish, const Properties& has) {
  const auto version = [](const Properties& p) { return 10 * p.major + p.minor; };
  return (version(has) >= version(wish)) + (has.totalGlobalMem >= wish.totalGlobalMem) +
         (has.multiProcessorCount >= wish.multiProcessorCount) + (has.sharedMemPerBlock >= wish.sharedMemPerBlock) +
         (has.concurrentKernels >= wish.concurrentKernels);
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaGetDeviceProperties(Properties* properties, int device) {
  return get(__func__, properties, device);
}
#if HEDDLE_CUDART_MAJOR == 12
HEDDLE_CUDA_API cudaError_t cudaGetDeviceProperties_v2(abi::Properties12* properties, int device) {
  return get(__func__, properties, device);
}
#endif

HEDDLE_CUDA_API cudaError_t cudaDeviceGetAttribute(int* value, int number, int device) {
  return guarded(__func__, [&] {
    const Context& context = Process::get().context(device);
    const std::optional<int> known = attribute(context, number);
    require(value && known, cudaErrorInvalidValue, "no place for the value, or no such attribute");
    *value = *known;
  });
}

HEDDLE_CUDA_API cudaError_t cudaChooseDevice(int* device, const Properties* wish) {
  return guarded(__func__, [&] {
    require(device && wish, cudaErrorInvalidValue, "no place for the device, or no properties");
    Process& process = Process::get();
    int best = -1;
    for (int i = 0; i < process.device_count(); ++i) {
      Properties has;
      fill(has, process.context(i));
      if (const int points = fulfilled(*wish, has); points > best) {
        best = points;
        *device = i;
      }
    }
  });
}
