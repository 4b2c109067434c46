// Devices: which there are, and what they are.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/hash.hpp"
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

// Both interfaces number attributes alike, and what a device is does not depend on who asks.
int attribute_of(const Context& context, CUdevice_attribute attribute) {
  return heddle::cuda_api::attribute(context, static_cast<int>(attribute)).value_or(0);
}

void check_attribute(CUdevice_attribute attribute) {
  require(attribute >= CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK && attribute < CU_DEVICE_ATTRIBUTE_MAX,
          cudaErrorInvalidValue, "there is no such attribute of a device");
}

// Of devices that have no number of their own: the same for the same device of the same machine's.
void uuid_of(const Context& context, CUuuid* uuid) {
  const std::string text = context.info().id + context.info().name;
  const std::uint64_t parts[2] = {heddle::base::hash64(text), heddle::base::hash64(text + "#")};
  static_assert(sizeof parts == sizeof uuid->bytes);
  std::memcpy(uuid->bytes, parts, sizeof parts);
}

CUresult get_uuid(const char* name, CUuuid* uuid, CUdevice device) {
  return driver(name, [&] {
    require(uuid, cudaErrorInvalidValue, "no place for the number");
    uuid_of(device_context(device), uuid);
  });
}

}  // namespace

HEDDLE_DRIVER_API cuDeviceGetCount(int* count) {
  HEDDLE_ARGUMENTS(count);
  return driver(__func__, [&] {
    require(count, cudaErrorInvalidValue, "no place for the number");
    device_context(0);
    *count = Process::get().device_count();
  });
}
HEDDLE_DRIVER_API cuDeviceGet(CUdevice* device, int ordinal) {
  HEDDLE_ARGUMENTS(device, ordinal);
  return driver(__func__, [&] {
    require(device, cudaErrorInvalidValue, "no place for the device");
    device_context(ordinal);
    *device = ordinal;
  });
}
HEDDLE_DRIVER_API cuDeviceGetName(char* name, int length, CUdevice device) {
  HEDDLE_ARGUMENTS(name, length, device);
  return driver(__func__, [&] {
    require(name && length > 0, cudaErrorInvalidValue, "no place for the name");
    const std::string text = device_name(device_context(device));
    const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, text.data(), bytes);
    name[bytes] = '\0';
  });
}
HEDDLE_DRIVER_API cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  HEDDLE_ARGUMENTS(uuid, device);
  return get_uuid(__func__, uuid, device);
}
HEDDLE_DRIVER_API cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  HEDDLE_ARGUMENTS(uuid, device);
  return get_uuid(__func__, uuid, device);
}
HEDDLE_DRIVER_API cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  HEDDLE_ARGUMENTS(bytes, device);
  return driver(__func__, [&] {
    require(bytes, cudaErrorInvalidValue, "no place for the size");
    *bytes = device_context(device).info().memory_bytes;
  });
}
HEDDLE_DRIVER_API cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  HEDDLE_ARGUMENTS(value, attribute, device);
  return driver(__func__, [&] {
    require(value, cudaErrorInvalidValue, "no place for the value");
    check_attribute(attribute);
    *value = attribute_of(device_context(device), attribute);
  });
}
HEDDLE_DRIVER_API cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  HEDDLE_ARGUMENTS(major, minor, device);
  return driver(__func__, [&] {
    require(major && minor, cudaErrorInvalidValue, "no place for the numbers");
    *major = attribute_of(device_context(device), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute_of(device_context(device), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  });
}
HEDDLE_DRIVER_API cuDeviceGetProperties(CUdevprop* made, CUdevice device) {
  HEDDLE_ARGUMENTS(made, device);
  return driver(__func__, [&] {
    require(made, cudaErrorInvalidValue, "no place for the properties");
    const Context& context = device_context(device);
    const auto value = [&](CUdevice_attribute attribute) { return attribute_of(context, attribute); };
    *made = {value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
             {value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
              value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
             {value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
              value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
             value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
             value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
             value(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
             value(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
             value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
             value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
             value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
  });
}

// Devices that share the host's memory reach each other's; Heddle does not join the memories of GPUs.
HEDDLE_DRIVER_API cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  HEDDLE_ARGUMENTS(can, device, peer);
  return driver(__func__, [&] {
    require(can, cudaErrorInvalidValue, "no place for the answer");
    const Context &one = device_context(device), &other = device_context(peer);
    *can = &one != &other && one.info().host_memory && other.info().host_memory ? 1 : 0;
  });
}
HEDDLE_DRIVER_API cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  HEDDLE_ARGUMENTS(value, attribute, from, to);
  return driver(__func__, [&] {
    require(value && from != to, cudaErrorInvalidValue, "no place for the answer, or one device twice");
    const bool reach = device_context(from).info().host_memory && device_context(to).info().host_memory;
    *value = reach && (attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
                       attribute == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
                 ? 1
                 : 0;
  });
}
HEDDLE_DRIVER_API cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType, CUdevice device) {
  HEDDLE_ARGUMENTS(supported, device);
  return driver(__func__, [&] {
    require(supported, cudaErrorInvalidValue, "no place for the answer");
    device_context(device);
    *supported = 0;
  });
}

namespace {

// Devices that are on no bus have a number there all the same, by which programs tell them apart.
std::string bus_id_of(const Context& context) {
  const auto part = [&](CUdevice_attribute attribute, int otherwise) {
    return static_cast<unsigned>(context.device().cuda_attribute(static_cast<int>(attribute)).value_or(otherwise));
  };
  return fmt::format("{:04X}:{:02X}:{:02X}.0", part(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0),
                     part(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, context.number()),
                     part(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0));
}

}  // namespace

HEDDLE_DRIVER_API cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  HEDDLE_ARGUMENTS(id, length, device);
  return driver(__func__, [&] {
    const std::string text = bus_id_of(device_context(device));
    require(id && length > static_cast<int>(text.size()), cudaErrorInvalidValue, "no place for the bus id");
    std::memcpy(id, text.c_str(), text.size() + 1);
  });
}
HEDDLE_DRIVER_API cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  HEDDLE_ARGUMENTS(device, id);
  return driver(__func__, [&] {
    require(device && id, cudaErrorInvalidValue, "no place for the device, or no bus id");
    const auto same = [](char a, char b) { return std::toupper(a) == b; };
    const std::string_view asked(id);
    for (int i = 0; i < Process::get().device_count(); ++i) {
      const std::string text = bus_id_of(device_context(i));  // may be asked for without the domain
      const std::string_view tail = std::string_view(text).substr(text.size() - std::min(asked.size(), text.size()));
      if (asked.size() < 7 || !std::equal(asked.begin(), asked.end(), tail.begin(), tail.end(), same)) continue;
      *device = i;
      return;
    }
    throw Failure(cudaErrorInvalidDevice, fmt::format("no device has the bus id {}", id));
  });
}
