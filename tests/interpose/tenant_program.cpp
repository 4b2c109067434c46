// What a tenant's program does, step by step: tenant_program STEP...
//   launch N    so many launches, one after the other
//   graph N     so many launches of a graph
//   sync        waits for the stream
//   idle MS     does nothing
//   take MB     allocates so much; take-async MB: from the pool of the device
//   give        frees what was allocated last
//   left        prints the MB that are free and there in all
//   processors  prints how many SMs there are, by the attribute and by the grids that fill the GPU
//   meet N      launches so many blocks cooperatively, in each of the two ways, and prints the errors
//   context     ends the context
//   capture MS  captures a stream for so long, and fails if a stream is queried meanwhile
#include <dlfcn.h>
#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "compile/headers/heddle/driver_types.h"

namespace {

using Word = unsigned long;
void* library = nullptr;

template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function ? function(arguments...) : -1;
}

constexpr Word stream = 0x300, none = 0;
std::vector<Word> taken;

int take(const char* what, int mb) {
  const bool async = std::strcmp(what, "take-async") == 0;
  const Word bytes = static_cast<Word>(mb) << 20;
  Word address = 0;
  const int result = async ? call("cuMemAllocAsync", &address, bytes, stream) : call("cuMemAlloc_v2", &address, bytes);
  std::printf("%s %d: %d\n", what, mb, result);
  if (result == 0) taken.push_back(address);
  return 0;
}

int give() {
  const Word last = taken.back();
  taken.pop_back();
  return call("cuMemFree_v2", last);
}

int left() {
  Word free = 0, total = 0, all = 0;
  const int failed = call("cuMemGetInfo_v2", &free, &total) + call("cuDeviceTotalMem_v2", &all, 0);
  std::printf("%lu of %lu, %lu\n", free >> 20, total >> 20, all >> 20);
  return failed;
}

int launch() { return call("cuLaunchKernel", Word{0xF}, 4u, 2u, 1u, 64u, 1u, 1u, 16u, stream, none, none); }

int launch_graph() { return call("cuGraphLaunch", Word{0x66}, stream); }

int processors() {
  int all = 0, grid = 0, grid_with_flags = 0, block = 0;
  const int failed =
      call("cuDeviceGetAttribute", &all, 16, 0) +
      call("cuOccupancyMaxPotentialBlockSize", &grid, &block, Word{0xF}, none, none, 0) +
      call("cuOccupancyMaxPotentialBlockSizeWithFlags", &grid_with_flags, &block, Word{0xF}, none, none, 0, 0u);
  std::printf("%d, %d, %d of %d\n", all, grid, grid_with_flags, block);
  return failed;
}

int meet(int blocks) {
  const auto grid = static_cast<unsigned>(blocks);
  const int one = call("cuLaunchCooperativeKernel", Word{0xF}, grid, 1u, 1u, 64u, 1u, 1u, 0u, stream, none);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  const CUlaunchConfig config{grid, 1, 1, 64, 1, 1, 0, reinterpret_cast<CUstream>(stream), &attribute, 1};
  const int other = call("cuLaunchKernelEx", &config, Word{0xF}, none, none);
  std::printf("meet %d: %d, %d\n", blocks, one, other);
  return 0;
}

// As a server without requests.
void idle(int ms) { ::poll(nullptr, 0, ms); }

int capture(int ms) {
  void* const stand_in = dlopen(STAND_IN_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  const int* const queries = stand_in ? static_cast<int*>(dlsym(stand_in, "fake_stream_queries")) : nullptr;
  int failed = launch();
  failed += call("cuStreamBeginCapture_v2", stream, 0);
  const int before = queries ? *queries : -1;
  idle(ms);
  if (!queries || *queries != before) ++failed;
  Word graph = 0;
  failed += call("cuStreamEndCapture", stream, &graph);
  idle(ms);
  if (queries && *queries == before) ++failed;  // now it is asked again
  return failed;
}

}  // namespace

int main(int count, char** words) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return 1;
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    const int number = i + 1 < count ? std::atoi(words[i + 1]) : 0;
    const std::string step = words[i];
    if (step == "sync" || step == "give" || step == "left" || step == "context" || step == "processors") {
      if (step == "processors") failed += processors();
      if (step == "sync") failed += call("cuStreamSynchronize", stream);
      if (step == "give") failed += give();
      if (step == "left") failed += left();
      if (step == "context") failed += call("cuCtxDestroy_v2", Word{0xC0DE});
      continue;
    }
    if (step.starts_with("take")) failed += take(words[i], number);
    if (std::strcmp(words[i], "launch") == 0)
      for (int k = 0; k < number; ++k) failed += launch();
    if (step == "graph")
      for (int k = 0; k < number; ++k) failed += launch_graph();
    if (step == "meet") failed += meet(number);
    if (std::strcmp(words[i], "idle") == 0) idle(number);
    if (std::strcmp(words[i], "capture") == 0) failed += capture(number);
    ++i;
  }
  std::printf("%d\n", failed);
  return failed == 0 ? 0 : 1;
}
