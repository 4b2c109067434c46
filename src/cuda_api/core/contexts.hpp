// The contexts of the process: one of each device's own, and those that the program makes in addition.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_safety.hpp"
#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

class Contexts {
 public:
  explicit Contexts(Handles& handles) : handles_(handles) {}
  // The next device's own. Call it before all others, in one thread; all that follows is for any thread.
  void add_device(heddle::Device device);
  int device_count() const { return static_cast<int>(own_.size()); }
  // Throws cudaErrorInvalidDevice.
  Context& of_device(int number) const;

  // A context in addition to a device's own; one that was destroyed is used again. Throws cudaErrorInvalidDevice.
  Context& make(int number);
  // For contexts of this kind: nobody uses it any more. The object stays.
  void give_back(Context& context);
  // Whether this is a context that exists.
  bool has(const Context* context) const;
  // All that exist.
  std::vector<Context*> all() const;
  // Slots of the contexts that have ended by a fault: calls that give back what is theirs fail.
  std::vector<int> with_faults() const;

 private:
  Handles& handles_;
  std::vector<std::unique_ptr<Context>> own_;
  mutable heddle::base::Mutex mutex_;
  std::vector<std::unique_ptr<Context>> made_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<Context*> ended_ HEDDLE_GUARDED_BY(mutex_);  // of these
};

}  // namespace heddle::cuda_api
