// Values that the CUDA runtime within a program keeps with a context.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/thread_safety.hpp"
#include "cuda_api/abi/driver.hpp"

namespace heddle::cuda_api {

class Context;

// Any thread.
class ContextStorage {
 public:
  // Called with the context's handle, the key and the value when the context ends.
  using AtEnd = void (*)(CUcontext, void* key, void* value);

  void put(const Context& context, void* key, void* value, AtEnd at_end);
  void remove(const Context& context, void* key);
  std::optional<void*> find(const Context& context, void* key) const;
  // The context ends: its values are removed, and their functions called.
  void end(Context& context);

 private:
  struct Value {
    void* value;
    AtEnd at_end;
  };
  mutable heddle::base::Mutex mutex_;
  std::map<std::pair<const Context*, void*>, Value> all_ HEDDLE_GUARDED_BY(mutex_);
};

// The process's; never destroyed.
ContextStorage& context_storage();

}  // namespace heddle::cuda_api
