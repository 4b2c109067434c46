// The driver's log (CUDA 12.9). Heddle's messages go to standard error, so this log never has a line; libraries that
// only ask to be told of lines work.
#include <atomic>
#include <cstdint>

#include "base/file.hpp"
#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

HEDDLE_DRIVER_API cuLogsRegisterCallback(void (*callback)(void*, int, char*, std::size_t), void*, void** handle) {
  return driver(__func__, [&] {
    require(callback && handle, cudaErrorInvalidValue, "no callback, or no place for its handle");
    static std::atomic<std::uintptr_t> last{0};
    *handle = reinterpret_cast<void*>(++last);
  });
}

HEDDLE_DRIVER_API cuLogsUnregisterCallback(void* handle) {
  return driver(__func__, [&] { require(handle, cudaErrorInvalidValue, "no handle of a callback"); });
}

HEDDLE_DRIVER_API cuLogsCurrent(unsigned* iterator, unsigned flags) {
  return driver(__func__, [&] {
    require(iterator, cudaErrorInvalidValue, "no place for the iterator");
    require(flags == 0, cudaErrorInvalidValue, "cuLogsCurrent takes no flags");
    *iterator = 0;
  });
}

HEDDLE_DRIVER_API cuLogsDumpToFile(unsigned*, const char* path, unsigned flags) {
  return driver(__func__, [&] {
    require(path, cudaErrorInvalidValue, "no file for the log");
    require(flags == 0, cudaErrorInvalidValue, "cuLogsDumpToFile takes no flags");
    heddle::base::write_users_file(path, std::string_view());
  });
}

HEDDLE_DRIVER_API cuLogsDumpToMemory(unsigned*, char* buffer, std::size_t* size, unsigned flags) {
  return driver(__func__, [&] {
    require(buffer && size, cudaErrorInvalidValue, "no buffer for the log, or no place for its size");
    require(flags == 0, cudaErrorInvalidValue, "cuLogsDumpToMemory takes no flags");
    if (*size != 0) *buffer = '\0';
    *size = 0;
  });
}
