// __managed__ variables of programs of `heddle cc`: the host's variable is the only one, and devices with managed
// memory use it at its address. The compiler puts them into a section of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

class Context;
class Image;
class Process;

// Any thread.
class ManagedVariables {
 public:
  // A section of the program's or of a library's: the variables in it are managed.
  void add_section(const void* begin, const void* end);
  bool covers(const void* variable) const;
  // CUDA's calls know its own variables from then on, or as soon as there are devices.
  void add(const Image& image, void* variable, std::size_t size);
  // The image's memory may be unmapped after this: waits for the work on it.
  void remove(const Image& image);
  // The process has its devices now.
  void show_to(Process& process);

 private:
  struct Variable {
    std::size_t size = 0;
    std::set<const Image*> images;            // files of a program may share one
    std::vector<heddle::Memory> for_kernels;  // that devices know it
  };
  using Variables = std::map<std::uint64_t, Variable>;
  static void show(Process& process, Variables::value_type& variable);
  void hide(Variables::value_type& variable) HEDDLE_REQUIRES(mutex_);

  mutable heddle::base::Mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> sections_ HEDDLE_GUARDED_BY(mutex_);  // begin, end
  Variables variables_ HEDDLE_GUARDED_BY(mutex_);
  Process* process_ HEDDLE_GUARDED_BY(mutex_) = nullptr;
};

// Throws cudaErrorNotSupported if the device has no managed memory.
void require_managed(const Context& context);

}  // namespace heddle::cuda_api
