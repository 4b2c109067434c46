// A library to preload, for a system that refuses and a clock that is set back:
// LACKING_THREADS=N   the process gets N threads, and no more
// LACKING_PROCESSES=1 it can start no process
// LACKING_SECONDS=N   the clock of the day is set back by N seconds, between the first time that it is asked and the
//                     second
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

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
