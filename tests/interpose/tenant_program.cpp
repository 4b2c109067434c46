// What a tenant's program does, step by step: tenant_program STEP...
//   launch N    so many launches, one after the other
//   sync        waits for the stream
//   idle MS     does nothing
//   capture MS  captures a stream for so long, and fails if a stream is queried meanwhile
#include <dlfcn.h>
#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Word = unsigned long;
void* library = nullptr;

template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function ? function(arguments...) : -1;
}

constexpr Word stream = 0x300, none = 0;

int launch() { return call("cuLaunchKernel", Word{0xF}, 4u, 2u, 1u, 64u, 1u, 1u, 16u, stream, none, none); }

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
    if (std::strcmp(words[i], "sync") == 0) {
      failed += call("cuStreamSynchronize", stream);
      continue;
    }
    if (std::strcmp(words[i], "launch") == 0)
      for (int k = 0; k < number; ++k) failed += launch();
    if (std::strcmp(words[i], "idle") == 0) idle(number);
    if (std::strcmp(words[i], "capture") == 0) failed += capture(number);
    ++i;
  }
  std::printf("%d\n", failed);
  return failed == 0 ? 0 : 1;
}
