// A library to preload: nothing can be written to files below the folder $FULL_FOLDER, as if its disk were full.
#include <dlfcn.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_full(int file) {
  const char* const folder = std::getenv("FULL_FOLDER");
  if (folder == nullptr) return false;
  char link[64], target[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = ::readlink(link, target, sizeof target - 1);
  if (size < 0) return false;
  target[size] = '\0';
  const std::size_t length = std::strlen(folder);
  return std::strncmp(target, folder, length) == 0 && target[length] == '/';
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

ssize_t no_space() {
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return is_full(file) ? no_space() : real(file, data, size);
}
ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return is_full(file) ? no_space() : real(file, data, size, at);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return is_full(file) ? no_space() : real(file, data, size, at);
}
ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  return is_full(file) ? no_space() : real(file, parts, count);
}

}  // extern "C"
