// Where devices are, and what they have to do with each other. Copies between devices need nothing of this; kernels do
// not reach the memory of other devices through Heddle, which is what CUDA calls access of peers.
#include <cstdio>
#include <cstring>

#include "cuda_api/abi/memory.hpp"
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/core/copy.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

void check_peer(Context& context, int peer) {
  Process::get().context(peer);
  require(peer != context.number(), cudaErrorInvalidDevice, "a device is no peer of itself");
}

cudaError_t copy_peer(const char* function, const abi::Memcpy3DPeer* p, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no parameters");
    if (p->source_array || p->array) not_supported("a copy of an array (cudaArray_t)");
    Process::get().context(p->source_device);
    Process::get().context(p->device);
    const auto end = [](const cudaPitchedPtr& at, const cudaPos& from) {
      const std::size_t plane = times(at.pitch, at.ysize);
      return BoxEnd{address_in_box(at.ptr, {from.x, from.y, from.z}, at.pitch, plane), at.pitch, plane};
    };
    CUstream_st& in = context.any_stream(stream, per_thread);
    copy_box(*in.context, in, end(p->destination, p->position), end(p->source, p->source_position),
             {p->extent.width, p->extent.height, p->extent.depth}, cudaMemcpyDeviceToDevice, false);
  });
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  HEDDLE_ARGUMENTS(text, size, device);
  return guarded(__func__, [&] {
    const std::string id = pci_id(Process::get().context(device));
    require(text && size > 0 && static_cast<std::size_t>(size) > id.size(), cudaErrorInvalidValue,
            "no place for the 12 characters of a PCI id");
    std::memcpy(text, id.c_str(), id.size() + 1);
  });
}

// [domain:]bus:device[.function]
HEDDLE_CUDA_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  HEDDLE_ARGUMENTS(device, text);
  return guarded(__func__, [&] {
    require(device && text, cudaErrorInvalidValue, "no place for the device, or no id");
    unsigned domain = 0, bus = 0, place = 0;
    if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &place) != 3) {
      domain = 0;
      require(std::sscanf(text, "%x:%x", &bus, &place) == 2, cudaErrorInvalidValue, "this is no PCI id");
    }
    Process& process = Process::get();
    for (int i = 0; i < process.device_count(); ++i) {
      const auto is = [&](int number, unsigned value) {
        return attribute(process.context(i), number).value_or(0) == static_cast<int>(value);
      };
      if (!is(50, domain) || !is(33, bus) || !is(34, place)) continue;
      *device = i;
      return;
    }
    throw Failure(cudaErrorInvalidDevice, std::string("no device is at ") + text);
  });
}

HEDDLE_CUDA_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  HEDDLE_ARGUMENTS(can, device, peer);
  return guarded(__func__, [&] {
    require(can, cudaErrorInvalidValue, "no place for the answer");
    Process::get().context(device);
    Process::get().context(peer);
    *can = 0;
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  HEDDLE_ARGUMENTS(peer, flags);
  return with_context(__func__, [&](Context& context) {
    check_peer(context, peer);
    require(flags == 0, cudaErrorInvalidValue, "unknown flags");
    throw Failure(cudaErrorPeerAccessUnsupported, "kernels do not reach the memory of other devices; copies do");
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  HEDDLE_ARGUMENTS(peer);
  return with_context(__func__, [&](Context& context) {
    check_peer(context, peer);
    throw Failure(cudaErrorPeerAccessNotEnabled, "access to this device was not enabled");
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceGetP2PAttribute(int* value, int number, int device, int peer) {
  HEDDLE_ARGUMENTS(value, number, device, peer);
  return guarded(__func__, [&] {
    constexpr int first = 1, last = 5;
    require(value && number >= first && number <= last, cudaErrorInvalidValue,
            "no place for the value, or no such attribute");
    check_peer(Process::get().context(device), peer);
    *value = 0;
  });
}

HEDDLE_CUDA_DS(cudaMemcpy3DPeer, (const abi::Memcpy3DPeer* p), {
  HEDDLE_ARGUMENTS(p);
  return copy_peer(__func__, p, nullptr, per_thread);
})
HEDDLE_CUDA_SZ(cudaMemcpy3DPeerAsync, (const abi::Memcpy3DPeer* p, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return copy_peer(__func__, p, stream, per_thread);
})
