// Values that the CUDA runtime within a program keeps with a context.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <utility>

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
  mutable std::mutex mutex_;
  std::map<std::pair<const Context*, void*>, Value> all_;
};

// The process's; never destroyed.
ContextStorage& context_storage();

}  // namespace heddle::cuda_api
