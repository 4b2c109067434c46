// A library to preload, for a system that refuses and a clock that is set back:
// LACKING_THREADS=N   the process gets N threads, and no more
// LACKING_PROCESSES=1 it can start no process
// LACKING_SECONDS=N   the clock of the day is set back by N seconds, between the first time that it is asked and the
//                     second
// A program that finds lack_memory() in it calls that, and then finds memory for so many allocations, and no more.
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace {

constexpr long unlimited = std::numeric_limits<long>::max();
constinit std::atomic<long> left = unlimited;  // allocations

bool has_memory() { return left.load(std::memory_order_relaxed) == unlimited || left.fetch_sub(1) > 0; }

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);

void lack_memory(long allocations) { left = allocations; }

// In place of the C library's.
void* malloc(std::size_t bytes) { return has_memory() ? __libc_malloc(bytes) : (errno = ENOMEM, nullptr); }
void* calloc(std::size_t count, std::size_t bytes) {
  return has_memory() ? __libc_calloc(count, bytes) : (errno = ENOMEM, nullptr);
}
void* realloc(void* old, std::size_t bytes) {
  return has_memory() ? __libc_realloc(old, bytes) : (errno = ENOMEM, nullptr);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  static std::atomic<int> made{0};
  static auto* const real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  const char* const most = std::getenv("LACKING_THREADS");
  if (most != nullptr && made++ >= std::atoi(most)) return EAGAIN;
  return real(thread, attributes, work, argument);
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]) {
  static auto* const real = next<int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                                     char* const[], char* const[])>("posix_spawn");
  if (std::getenv("LACKING_PROCESSES") != nullptr) return EAGAIN;
  return real(process, path, files, attributes, arguments, variables);
}

int clock_gettime(clockid_t clock, timespec* time) {
  static std::atomic<int> asked{0};
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, time);
  const char* const seconds = std::getenv("LACKING_SECONDS");
  if (seconds != nullptr && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && asked++ > 0)
    time->tv_sec -= std::atoi(seconds);
  return result;
}

}  // extern "C"
