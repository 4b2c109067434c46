// Stands in for NVIDIA's libcuda.so.1: each function records that it was called, and with which arguments. Those that a
// timeline needs work: events are done when they are recorded, and a stream with an odd handle is being captured.
//
// STAND_IN=busy: a stream with work is busy until it is synchronized. STAND_IN=endless: no event is ever done.
#include <cstdlib>
#include <cstring>

using Word = unsigned long;

extern "C" {

struct FakeCall {
  const char* name;
  Word arguments[11];
  int calls;
};
FakeCall fake_last_call = {};
int fake_stream_queries = 0;

}  // extern "C"

namespace {

int record(const char* name, const Word* arguments) {
  fake_last_call.name = name;
  std::memcpy(fake_last_call.arguments, arguments, sizeof fake_last_call.arguments);
  ++fake_last_call.calls;
  return 0;
}

Word events = 0x1000;
float now_ms = 0;
float times[4096];

bool stands_in_as(const char* what) {
  const char* const given = std::getenv("STAND_IN");
  return given && std::strcmp(given, what) == 0;
}
bool has_work = false;
Word next_memory = 0x10000;
constexpr int not_ready = 600;

void* find(const char* name, int version);

int work(const char* name, const Word* a, bool& handled) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  handled = true;
  if (is("cuCtxGetCurrent")) return *reinterpret_cast<Word*>(a[0]) = 0xC0DE, 0;
  if (is("cuCtxGetDevice")) return *reinterpret_cast<int*>(a[0]) = 0, 0;
  if (is("cuDeviceGetAttribute") && a[1] == 16) return *reinterpret_cast<int*>(a[0]) = 132, 0;  // SMs
  // A test of what is passed on passes small numbers.
  const bool is_place = a[0] > 4096;
  if (is_place && is("cuOccupancyMaxActiveBlocksPerMultiprocessor")) return *reinterpret_cast<int*>(a[0]) = 2, 0;
  if (is_place && (is("cuOccupancyMaxPotentialBlockSize") || is("cuOccupancyMaxPotentialBlockSizeWithFlags")))
    return *reinterpret_cast<int*>(a[0]) = 2 * 132, *reinterpret_cast<int*>(a[1]) = 256, 0;
  if (is("cuDeviceGetName")) return std::strcpy(reinterpret_cast<char*>(a[0]), "a fake GPU"), 0;
  if (is("cuStreamCreate")) return *reinterpret_cast<Word*>(a[0]) = 0x2222, 0;
  if (is("cuStreamGetId")) return *reinterpret_cast<Word*>(a[1]) = a[0] / 0x100, 0;
  if (is("cuStreamIsCapturing")) return *reinterpret_cast<int*>(a[1]) = static_cast<int>(a[0] % 2), 0;
  if (is("cuThreadExchangeStreamCaptureMode") || is("cuCtxSetCurrent") || is("cuEventSynchronize")) return 0;
  if (is("cuEventQuery")) return stands_in_as("endless") ? not_ready : 0;
  if (is("cuStreamQuery") && stands_in_as("busy")) return ++fake_stream_queries, has_work ? not_ready : 0;
  if (is("cuStreamSynchronize") && stands_in_as("busy")) return has_work = false, 0;
  if (is("cuLaunchKernel")) has_work = true;
  if (stands_in_as("memory")) {
    if (is("cuMemAlloc_v2") || is("cuMemAllocAsync")) return *reinterpret_cast<Word*>(a[0]) = next_memory++, 0;
    if (is("cuMemGetInfo_v2"))
      return *reinterpret_cast<Word*>(a[0]) = Word{70} << 30, *reinterpret_cast<Word*>(a[1]) = Word{80} << 30, 0;
    if (is("cuDeviceTotalMem_v2")) return *reinterpret_cast<Word*>(a[0]) = Word{80} << 30, 0;
  }
  if (is("cuEventCreate")) return *reinterpret_cast<Word*>(a[0]) = events++, 0;
  if (is("cuEventRecord")) return times[a[0] % 4096] = now_ms += 0.5F, 0;
  if (is("cuEventElapsedTime")) return *reinterpret_cast<float*>(a[0]) = times[a[2] % 4096] - times[a[1] % 4096], 0;
  if (is("cuFuncGetName")) {
    if (a[1] == 0xBAD) return 400;
    return *reinterpret_cast<const char**>(a[0]) = "_Z5saxpyifPKfPf", 0;
  }
  if (is("cuKernelGetName")) return *reinterpret_cast<const char**>(a[0]) = "kernel_of_a_library", 0;
  if (is("cuGetProcAddress_v2")) {
    void*& found = *reinterpret_cast<void**>(a[1]);
    found = find(reinterpret_cast<const char*>(a[0]), static_cast<int>(a[2]));
    *reinterpret_cast<int*>(a[4]) = found ? 0 : 1;
    return 0;
  }
  handled = false;
  return 0;
}

}  // namespace

extern "C" {
// One signature for all: integers in six registers, the others on the stack, as the ABI has it.
#define HEDDLE_SYMBOL(name)                                                                                 \
  int fake_##name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j,           \
                  Word k) __asm__(#name);                                                                   \
  int fake_##name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k) { \
    const Word all[] = {a, b, c, d, e, f, g, h, i, j, k};                                                   \
    bool handled = false;                                                                                   \
    const int result = work(#name, all, handled);                                                           \
    return handled ? result : record(#name, all);                                                           \
  }
#include "interpose/symbols.inc"
#undef HEDDLE_SYMBOL
}  // extern "C"

namespace {

void* find(const char* name, int version) {
  // The driver chooses the form for the version.
  if (std::strcmp(name, "cuMemcpyHtoD") == 0 && version >= 3020) name = "cuMemcpyHtoD_v2";
#define HEDDLE_SYMBOL(symbol) \
  if (std::strcmp(name, #symbol) == 0) return reinterpret_cast<void*>(&fake_##symbol);
#include "interpose/symbols.inc"
#undef HEDDLE_SYMBOL
  return nullptr;
}

}  // namespace
