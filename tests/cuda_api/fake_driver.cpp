// A driver of NVIDIA's that has one GPU and does nothing: libcuda.so.1, for what can be tested of programs on cuda:0
// where there is no GPU. Functions that nobody asks anything of return success. With $FAKE_DRIVER_SAYS it says on
// standard error how many kernels each module has that it is given, and at the end how often a context was set, host
// memory was pinned and device memory taken from a pool.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int one_device(int* count) {
  *count = 1;
  return 0;
}
int version(int* number) {
  *number = 13000;
  return 0;
}
int device(int* number, int) {
  *number = 0;
  return 0;
}
int name(char* text, int size, int) {
  std::snprintf(text, static_cast<std::size_t>(size), "no GPU");
  return 0;
}
int memory(std::size_t* bytes, int) {
  *bytes = std::size_t{16} << 30;
  return 0;
}
int memory_info(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{16} << 30;
  return 0;
}
// Capability 9.0, and limits that are too large rather than too small.
int attribute(int* value, int number, int) {
  *value = number == 75 ? 9 : number == 76 ? 0 : number == 10 ? 32 : number == 1 || number == 39 ? 1024 : 65535;
  return 0;
}
int function_attribute(int* value, int, void*) {
  *value = 0;
  return 0;
}
int handle(void** made) {
  static std::uintptr_t next = 0;
  *made = reinterpret_cast<void*>(++next);
  return 0;
}
thread_local void* current = nullptr;
int context_get(void** context) {
  *context = current;
  return 0;
}
std::atomic<unsigned> sets{0};
int context_set(void* context) {
  ++sets;
  current = context;
  return 0;
}
int priorities(int* lowest, int* highest) {
  *lowest = *highest = 0;
  return 0;
}
int allocate_alone(std::uint64_t* address, std::size_t size) {
  static std::uint64_t next = 0x700000000000;
  *address = next;
  next += (size + 511) / 512 * 512;
  return 0;
}
std::atomic<unsigned> pooled{0};
int allocate(std::uint64_t* address, std::size_t size, void*) {
  ++pooled;
  return allocate_alone(address, size);
}
int elapsed(float* ms, void*, void*) {
  *ms = 0;
  return 0;
}
int error_name(int, const char** text) {
  *text = "an error of the fake driver";
  return 0;
}
std::atomic<unsigned> pinned{0};
int pin(void*, std::size_t, unsigned) {
  ++pinned;
  return 0;
}
// With $FAKE_DRIVER_REFUSES it has no use for any machine code.
int load(void** made, const char* text, unsigned, int*, void**) {
  constexpr unsigned char fat_binary[] = {0x50, 0xed, 0x55, 0xba};
  constexpr int no_binary_for_gpu = 209;
  if (std::memcmp(text, fat_binary, sizeof fat_binary) == 0) {
    if (std::getenv("FAKE_DRIVER_SAYS")) std::fprintf(stderr, "fat binary\n");
    return std::getenv("FAKE_DRIVER_REFUSES") ? no_binary_for_gpu : handle(made);
  }
  unsigned kernels = 0;
  for (const char* at = text; (at = std::strstr(at, ".entry ")) != nullptr; ++at) ++kernels;
  if (std::getenv("FAKE_DRIVER_SAYS")) std::fprintf(stderr, "kernels: %u\n", kernels);
  return handle(made);
}
int nothing() { return 0; }

__attribute__((destructor)) void end() {
  if (std::getenv("FAKE_DRIVER_SAYS"))
    std::fprintf(stderr, "sets: %u\npinned: %u\npooled: %u\n", sets.load(), pinned.load(), pooled.load());
}

struct Function {
  const char* name;
  void* address;
};

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

const Function functions[] = {
    {"cuDeviceGetCount", address(&one_device)},
    {"cuDriverGetVersion", address(&version)},
    {"cuDeviceGet", address(&device)},
    {"cuDeviceGetName", address(&name)},
    {"cuDeviceTotalMem", address(&memory)},
    {"cuMemGetInfo", address(&memory_info)},
    {"cuDeviceGetAttribute", address(&attribute)},
    {"cuFuncGetAttribute", address(&function_attribute)},
    {"cuDevicePrimaryCtxRetain", address(&handle)},
    {"cuDeviceGetDefaultMemPool", address(&handle)},
    {"cuStreamCreateWithPriority", address(&handle)},
    {"cuEventCreate", address(&handle)},
    {"cuModuleLoadDataEx", address(&load)},
    {"cuMemHostRegister", address(&pin)},
    {"cuModuleGetFunction", address(&handle)},
    {"cuCtxGetCurrent", address(&context_get)},
    {"cuCtxSetCurrent", address(&context_set)},
    {"cuCtxGetStreamPriorityRange", address(&priorities)},
    {"cuMemAlloc", address(&allocate_alone)},
    {"cuMemAllocAsync", address(&allocate)},
    {"cuEventElapsedTime", address(&elapsed)},
    {"cuGetErrorName", address(&error_name)},
    {"cuGetErrorString", address(&error_name)},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* wanted, void** found, int,
                                                                          std::uint64_t, int*) {
  *found = address(&nothing);
  for (const Function& function : functions)
    if (std::strcmp(function.name, wanted) == 0) *found = function.address;
  return 0;
}
