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
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "fake_parameters.hpp"

namespace {

// What was asked for, line by line, for tests that are in the same process (fake_driver_take_log).
struct Log {
  std::mutex mutex;
  std::string text;
  std::map<const void*, std::string> functions;
  FakeParameters parameters;  // of kernels of all modules
};
Log& driver_log() {
  static Log* const made = new Log;
  return *made;
}
template <class... Values>
void note(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  const std::lock_guard lock(driver_log().mutex);
  driver_log().text += std::string(line) + '\n';
}

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
int handle(void** made) {
  static std::uintptr_t next = 0;
  *made = reinterpret_cast<void*>(++next);
  return 0;
}
thread_local void* current = nullptr;
thread_local unsigned gets = 0;
int context_get(void** context) {
  ++gets;
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
std::atomic<unsigned> pinned{0}, records{0};
// A function is known by its name. A launch is noted with its grid, its stream, whether it may begin early, and its
// arguments as the kernel sees them, in words of 32 bits.
int find_function(void** made, void*, const char* name) {
  static std::uintptr_t next = 0x1000;
  const std::lock_guard lock(driver_log().mutex);
  *made = reinterpret_cast<void*>(++next);
  driver_log().functions[*made] = name;
  return 0;
}
// Blocks of 1024 threads, and of 256 of a kernel whose name says that it needs many registers.
int function_attribute(int* value, int number, void* function) {
  constexpr int most_threads = 0;
  *value = 0;
  if (number != most_threads) return 0;
  const std::lock_guard lock(driver_log().mutex);
  *value = driver_log().functions[function].find("many_registers") == std::string::npos ? 1024 : 256;
  return 0;
}
void note_launch(const void* function, const unsigned* grid, void* stream, bool early, void** pointers, void** extra) {
  std::string name, seen;
  {
    const std::lock_guard lock(driver_log().mutex);
    name = driver_log().functions[function];
    seen = seen_parameters(driver_log().parameters[name], extra ? extra[1] : nullptr,
                           extra ? *static_cast<const std::size_t*>(extra[3]) : 0, pointers);
  }
  std::string words;
  for (std::size_t at = 0; at + 4 <= seen.size(); at += 4) {
    unsigned word = 0;
    std::memcpy(&word, seen.data() + at, sizeof word);
    words += ' ' + std::to_string(word);
  }
  note("launch %s (%u %u %u) in %p%s:%s", name.c_str(), grid[0], grid[1], grid[2], stream, early ? " early" : "",
       words.c_str());
}
int launch(void* function, unsigned x, unsigned y, unsigned z, unsigned, unsigned, unsigned, unsigned, void* stream,
           void** pointers, void** extra) {
  const unsigned grid[] = {x, y, z};
  note_launch(function, grid, stream, false, pointers, extra);
  return 0;
}
struct LaunchSettings {
  unsigned grid[3], block[3], shared;
  void* stream;
};
int launch_with(const LaunchSettings* settings, void* function, void** pointers, void** extra) {
  note_launch(function, settings->grid, settings->stream, true, pointers, extra);
  return 0;
}
// Nodes of graphs are noted with their kernel, edges with their kind.
int add_node(void** node, void*, void* const*, std::size_t parents, void* const* parameters) {
  std::string name;
  {
    const std::lock_guard lock(driver_log().mutex);
    name = driver_log().functions[parameters[0]];
  }
  note("node %s behind %zu", name.c_str(), parents);
  return handle(node);
}
int add_edges(void*, void* const*, void* const*, const unsigned char* edge, std::size_t) {
  note("edge from port %u, of type %u", edge[0], edge[2]);
  return 0;
}
int instantiate(void** executable, void*, unsigned long long) {
  const int result = handle(executable);
  note("graph %p", *executable);
  return result;
}
int set_node(void* executable, void*, void* const*) {
  note("change %p", executable);
  return 0;
}
int launch_graph(void* executable, void*) {
  note("launch graph %p", executable);
  return 0;
}
// Variables of a module lie behind one another, as they are first asked for.
int find_variable(std::uint64_t* address, std::size_t* bytes, void* module, const char* name) {
  static std::mutex mutex;
  static std::map<std::pair<void*, std::string>, std::uint64_t> known;
  static std::uint64_t next = 0x10000;
  const std::lock_guard lock(mutex);
  std::uint64_t& place = known[{module, name}];
  if (place == 0) place = next += 0x100;
  *address = place;
  *bytes = 64;
  if (std::strstr(name, "hidden_from_the_host") == nullptr) return 0;
  constexpr int not_found = 500;
  return not_found;
}
int copy_in(std::uint64_t to, const void* from, std::size_t bytes, void*) {
  std::string words;
  for (std::size_t at = 0; at + 8 <= bytes && at < 64; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(from) + at, sizeof word);
    char text[32];
    std::snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(word));
    words += text;
  }
  note("write %llx:%s", static_cast<unsigned long long>(to), words.c_str());
  return 0;
}
int copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  note("copy %llx from %llx, %zu bytes in %p", static_cast<unsigned long long>(to),
       static_cast<unsigned long long>(from), bytes, stream);
  return 0;
}
int occupancy(int* blocks, void*, int, std::size_t) {
  *blocks = 8;
  return 0;
}

// Memory that is mapped: addresses behind one another, handles by number.
int reserve(std::uint64_t* address, std::size_t size, std::size_t, std::uint64_t wanted, unsigned long long) {
  static std::uint64_t next = 0x500000000000;
  *address = wanted ? wanted : next;
  if (!wanted) next += size;
  note("reserve %zu", size);
  return 0;
}
int free_range(std::uint64_t, std::size_t size) {
  note("free %zu", size);
  return 0;
}
// CUmemAllocationProp.
struct Kind {
  int type, handles, place, number;
  void* windows;
  unsigned char compression, rest[7];
};
int create(unsigned long long* handle, std::size_t size, const Kind* kind, unsigned long long) {
  static unsigned long long next = 0;
  *handle = ++next << 1 | (kind->compression ? 1 : 0);
  note("create %zu on %d.%d%s", size, kind->place, kind->number, kind->compression ? ", compressible" : "");
  return 0;
}
int kind_of(Kind* kind, unsigned long long handle) {
  *kind = {};
  kind->compression = handle & 1;
  return 0;
}
int granularity(std::size_t* bytes, const Kind*, int) {
  *bytes = std::size_t{2} << 20;
  return 0;
}
int release(unsigned long long handle) {
  note("release %llu", handle >> 1);
  return 0;
}
int map(std::uint64_t, std::size_t size, std::size_t, unsigned long long handle, unsigned long long) {
  note("map %zu of %llu", size, handle >> 1);
  return 0;
}
int unmap(std::uint64_t, std::size_t size) {
  note("unmap %zu", size);
  return 0;
}
int set_access(std::uint64_t, std::size_t size, const int* place, std::size_t) {
  note("access %zu: %d.%d may %d", size, place[0], place[1], place[2]);
  return 0;
}

int pin(void*, std::size_t, unsigned) {
  ++pinned;
  return 0;
}
// With $FAKE_DRIVER_REFUSES it has no use for any machine code. While it compiles what waits for other kernels and is
// called faults_meanwhile, one of these faults.
int load(void** made, const char* text, unsigned, int*, void**) {
  constexpr unsigned char fat_binary[] = {0x50, 0xed, 0x55, 0xba};
  constexpr int no_binary_for_gpu = 209;
  if (std::memcmp(text, fat_binary, sizeof fat_binary) == 0) {
    note("module: fat binary");
    if (std::getenv("FAKE_DRIVER_SAYS")) std::fprintf(stderr, "fat binary\n");
    return std::getenv("FAKE_DRIVER_REFUSES") ? no_binary_for_gpu : handle(made);
  }
  unsigned kernels = 0;
  for (const char* at = text; (at = std::strstr(at, ".entry ")) != nullptr; ++at) ++kernels;
  constexpr int illegal_address = 700;
  if (std::strstr(text, "griddepcontrol") && std::strstr(text, "faults_meanwhile")) return illegal_address;
  note("module: %u kernels", kernels);
  {
    const std::lock_guard lock(driver_log().mutex);
    for (auto& [kernel, parameters] : fake_parameters(text)) driver_log().parameters[kernel] = parameters;
  }
  if (std::getenv("FAKE_DRIVER_SAYS")) std::fprintf(stderr, "kernels: %u\n", kernels);
  return handle(made);
}
int record(void*, void*) {
  ++records;
  return 0;
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
    {"cuEventRecord", address(&record)},
    {"cuModuleLoadDataEx", address(&load)},
    {"cuMemHostRegister", address(&pin)},
    {"cuModuleGetFunction", address(&find_function)},
    {"cuModuleGetGlobal", address(&find_variable)},
    {"cuLaunchKernel", address(&launch)},
    {"cuLaunchKernelEx", address(&launch_with)},
    {"cuGraphCreate", address(&handle)},
    {"cuGraphAddKernelNode", address(&add_node)},
    {"cuGraphAddDependencies", address(&add_edges)},
    {"cuGraphInstantiateWithFlags", address(&instantiate)},
    {"cuGraphExecKernelNodeSetParams", address(&set_node)},
    {"cuGraphLaunch", address(&launch_graph)},
    {"cuMemcpyHtoDAsync", address(&copy_in)},
    {"cuMemcpyAsync", address(&copy)},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", address(&occupancy)},
    {"cuMemAddressReserve", address(&reserve)},
    {"cuMemAddressFree", address(&free_range)},
    {"cuMemCreate", address(&create)},
    {"cuMemRelease", address(&release)},
    {"cuMemGetAllocationPropertiesFromHandle", address(&kind_of)},
    {"cuMemGetAllocationGranularity", address(&granularity)},
    {"cuMemMap", address(&map)},
    {"cuMemUnmap", address(&unmap)},
    {"cuMemSetAccess", address(&set_access)},
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

// Of the calling thread: the context that is current, to be set as the program's own code does; and how often Heddle
// has asked for it since the last call.
extern "C" __attribute__((visibility("default"))) void** fake_driver_context() { return &current; }
extern "C" __attribute__((visibility("default"))) unsigned fake_driver_context_questions() {
  return std::exchange(gets, 0);
}
// How many events were recorded since the last call.
extern "C" __attribute__((visibility("default"))) unsigned fake_driver_records() { return records.exchange(0); }
// What was noted since the last call. It stays until the next one.
extern "C" __attribute__((visibility("default"))) const char* fake_driver_take_log() {
  static std::string taken;
  const std::lock_guard lock(driver_log().mutex);
  taken = std::move(driver_log().text);
  driver_log().text.clear();
  return taken.c_str();
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name
extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* wanted, void** found, int,
                                                                          std::uint64_t, int*) {
  *found = address(&nothing);
  for (const Function& function : functions)
    if (std::strcmp(function.name, wanted) == 0) *found = function.address;
  return 0;
}
