// The tables of functions that the CUDA runtime within a program (nvcc -cudart static) takes from the driver's library.
// NVIDIA documents them nowhere; ZLUDA does. What the runtime asks for here is little: modules of the program's code,
// values kept with a context, and a check that it is a driver that it knows.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cuda_api/core/attributes.hpp"
#include "cuda_api/core/context_storage.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/runtime_check.hpp"

using namespace heddle::cuda_api;

namespace {

using Entry = const void*;
template <class Function>
Entry entry(Function* function) {
  return reinterpret_cast<Entry>(function);
}
// Tables begin with their size in bytes.
template <std::size_t count>
Entry size_of() {
  return reinterpret_cast<Entry>(count * sizeof(Entry));
}

CUresult load(CUmodule* module, const void* wrapper) { return cuModuleLoadData(module, wrapper); }
CUresult load_with(CUmodule* module, const void* wrapper, void*, void*, unsigned) {
  return cuModuleLoadData(module, wrapper);
}
CUresult load_container(const void* container, CUmodule* module, void*, void*, unsigned) {
  return cuModuleLoadData(module, container);
}
// Does not count as a use of the context, unlike cuDevicePrimaryCtxRetain.
CUresult primary_context(CUcontext* context, CUdevice device) {
  return driver(__func__, [&] {
    require(context, cudaErrorInvalidValue, "no place for the context");
    *context = handle_of(device_context(device));
  });
}
void nothing(std::size_t) {}
CUresult no_compilers_to_load() { return CUDA_SUCCESS; }

Context& named_or_current(CUcontext context) { return context ? context_of(context) : current_context(); }
CUresult put_value(CUcontext context, void* key, void* value, ContextStorage::AtEnd at_end) {
  return driver(__func__, [&] { context_storage().put(named_or_current(context), key, value, at_end); });
}
CUresult remove_value(CUcontext context, void* key) {
  return driver(__func__, [&] { context_storage().remove(named_or_current(context), key); });
}
// A value that is not there is no failure to report: the runtime asks before it puts one, and before there is a
// context.
CUresult get_value(void** value, CUcontext context, void* key) {
  bool found = false;
  const CUresult result = driver(__func__, [&] {
    Context* const current = context ? &context_of(context) : current_context_if_any();
    if (current == nullptr) return;
    const auto kept = context_storage().find(*current, key);
    found = kept.has_value();
    if (found && value) *value = *kept;
  });
  return result == CUDA_SUCCESS && !found ? CUDA_ERROR_INVALID_HANDLE : result;
}

// Memory that tools write to.
void first_buffer(void** buffer, std::size_t* bytes) {
  static std::array<std::uint32_t, 1024> memory{};
  *buffer = memory.data();
  *bytes = memory.size();
}
void second_buffer(void** buffer, std::size_t* bytes) {
  static std::array<std::uint32_t, 14> memory{};
  *buffer = memory.data();
  *bytes = memory.size();
}

// The device of a context, and its number. The runtime of CUDA 13.4 wants the table that these are in, for tools.
CUresult device_of_context(CUcontext context, CUdevice* device) {
  return driver(__func__, [&] {
    require(device, cudaErrorInvalidValue, "no place for the device");
    *device = named_or_current(context).number();
  });
}
CUresult number_of_context(CUcontext context, std::uint64_t* number) {
  return driver(__func__, [&] {
    require(number, cudaErrorInvalidValue, "no place for the number");
    *number = static_cast<std::uint64_t>(named_or_current(context).slot()) + 1;
  });
}
CUresult not_for_tools() {
  return driver("a private function of the driver for tools",
                [] { not_supported("what profilers and debuggers of NVIDIA's ask of the driver"); });
}

// What cuBLAS calls before some of its kernels. Without a function there, it ends the program.
CUresult not_for_libraries() {
  return driver("a private function of the driver for NVIDIA's libraries",
                [] { not_supported("what libraries without source, such as cuBLAS, ask of the driver"); });
}

CUresult check_context(CUcontext, unsigned* bits, const void**) {
  *bits = 0;
  return CUDA_SUCCESS;
}
unsigned no_bits() { return 0; }

CUresult check_driver(unsigned version, std::uint64_t unix_seconds, RuntimeCheckCode* code);

const Entry runtime_table[13] = {size_of<13>(),
                                 entry(&load),
                                 entry(&primary_context),
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 entry(&load_with),
                                 entry(&nothing),
                                 entry(&load_container),
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 entry(&no_compilers_to_load)};
const Entry thread_table[4] = {size_of<4>(), entry(&not_for_libraries), entry(&not_for_libraries),
                               entry(&not_for_libraries)};
const Entry tools_table[7] = {size_of<7>(), nullptr, entry(&first_buffer), nullptr,
                              nullptr,      nullptr, entry(&second_buffer)};
const std::array<Entry, 95> tools_context_table = [] {
  std::array<Entry, 95> all{};
  all.fill(entry(&not_for_tools));
  all[0] = size_of<95>();
  all[3] = entry(&device_of_context);
  all[4] = entry(&number_of_context);
  return all;
}();
const Entry storage_table[4] = {entry(&put_value), entry(&remove_value), entry(&get_value)};
const Entry check_table[3] = {size_of<3>(), entry(&check_driver)};
const Entry context_table[4] = {size_of<4>(), nullptr, entry(&check_context), entry(&no_bits)};

// The runtime computes the same, and refuses a driver whose answer differs.
CUresult check_driver(unsigned version, std::uint64_t unix_seconds, RuntimeCheckCode* code) {
  return driver(__func__, [&] {
    // Some versions of the runtime expect constants.
    if (version % 10 < 2) {
      *code = {version % 10 == 0 ? 0x3341181C03CB675Cu : 0x1841181C03CB675Cu, 0x8ED383AA1F4CD1E8u};
      return;
    }
    int driver_version = 0;
    cuDriverGetVersion(&driver_version);
    RuntimeCheckProcess process;
    process.driver_version = static_cast<std::uint32_t>(driver_version);
    process.runtime_version = version;
    process.process = static_cast<std::uint32_t>(::getpid());
    process.thread = static_cast<std::uint32_t>(::pthread_self());
    process.runtime_table = runtime_table;
    process.check_table = check_table;
    process.check_function = check_table[1];
    process.unix_seconds = unix_seconds;
    std::vector<RuntimeCheckDevice> devices;
    for (int i = 0; i < Process::get().contexts.device_count(); ++i) {
      RuntimeCheckDevice& device = devices.emplace_back();
      cuDeviceGetUuid_v2(&device.uuid, i);
      const auto attribute = [i](CUdevice_attribute which) {
        int value = 0;
        cuDeviceGetAttribute(&value, which, i);
        return value;
      };
      device.pci_domain = attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
      device.pci_bus = attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
      device.pci_device = attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
    }
    *code = runtime_check_code(process, devices);
  });
}

struct Table {
  std::array<unsigned char, 16> id;
  const Entry* entries;
};
const Table tables[] = {
    {{0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4, 0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39, 0x12, 0xFD, 0x9D, 0xF9}, runtime_table},
    {{0x42, 0xD8, 0x5A, 0x81, 0x23, 0xF6, 0xCB, 0x47, 0x82, 0x98, 0xF6, 0xE7, 0x8A, 0x3A, 0xEC, 0xDC}, thread_table},
    {{0xA0, 0x94, 0x79, 0x8C, 0x2E, 0x74, 0x2E, 0x74, 0x93, 0xF2, 0x08, 0x00, 0x20, 0x0C, 0x0A, 0x66}, tools_table},
    {{0x21, 0x31, 0x8C, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8C, 0xA6, 0x41, 0xFF, 0x73, 0x24, 0xC8, 0xF2},
     tools_context_table.data()},
    {{0xC6, 0x93, 0x33, 0x6E, 0x11, 0x21, 0xDF, 0x11, 0xA8, 0xC3, 0x68, 0xF3, 0x55, 0xD8, 0x95, 0x93}, storage_table},
    {{0xD4, 0x08, 0x20, 0x55, 0xBD, 0xE6, 0x70, 0x4B, 0x8D, 0x34, 0xBA, 0x12, 0x3C, 0x66, 0xE1, 0xF2}, check_table},
    {{0x26, 0x3E, 0x88, 0x60, 0x7C, 0xD2, 0x61, 0x43, 0x92, 0xF6, 0xBB, 0xD5, 0x00, 0x6D, 0xFA, 0x7E}, context_table},
};

}  // namespace

// Programs probe for tables of newer drivers: one that is not there is reported to them alone.
HEDDLE_DRIVER_API cuGetExportTable(const void** table, const CUuuid* id) {
  if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
  const auto found = std::find_if(std::begin(tables), std::end(tables), [&](const Table& known) {
    return std::memcmp(known.id.data(), id->bytes, known.id.size()) == 0;
  });
  *table = found == std::end(tables) ? nullptr : found->entries;
  return *table ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
