// Tasks that are not kernels: functions of the host, and calls of libraries that put their work into a stream.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace heddle {

// The argument of such a function. Valid while it runs; one thread.
class Call {
 public:
  struct Item {
    void* data;
    std::size_t bytes;
  };
  Call(std::string_view device, void* stream, const std::vector<Item>& arrays)
      : device_(device), stream_(stream), arrays_(arrays) {}

  std::string_view device() const { return device_; }  // its id; "host" for Runtime::call_host
  // On NVIDIA GPUs the CUstream (cudaStream_t) into which the function puts its work. Null elsewhere: there the
  // function does the work itself, and the work is done when the function returns.
  void* stream() const { return stream_; }
  std::size_t size() const { return arrays_.size(); }
  // Where the i-th array or slice begins: an address of the device's memory, which the host cannot access on a GPU.
  // Throws std::out_of_range.
  template <typename T>
  T* data(std::size_t i) const {
    return static_cast<T*>(arrays_.at(i).data);
  }
  std::size_t bytes(std::size_t i) const { return arrays_.at(i).bytes; }

 private:
  std::string_view device_;
  void* stream_;
  const std::vector<Item>& arrays_;
};

using CallFunction = std::function<void(const Call&)>;

struct CallOptions {
  std::string_view device = {};  // id; the runtime's first device when empty
  bool timed = false;            // Launch::seconds() will be called
};

}  // namespace heddle
