#include "cuda_api/core/context_storage.hpp"

#include <vector>

namespace heddle::cuda_api {

ContextStorage& context_storage() {
  static ContextStorage* const made = new ContextStorage;
  return *made;
}

void ContextStorage::put(const Context& context, void* key, void* value, AtEnd at_end) {
  const base::Lock lock(mutex_);
  all_.insert_or_assign({&context, key}, Value{value, at_end});
}

void ContextStorage::remove(const Context& context, void* key) {
  const base::Lock lock(mutex_);
  all_.erase({&context, key});
}

std::optional<void*> ContextStorage::find(const Context& context, void* key) const {
  const base::Lock lock(mutex_);
  const auto found = all_.find({&context, key});
  if (found == all_.end()) return std::nullopt;
  return found->second.value;
}

// The functions may use the storage.
void ContextStorage::end(Context& context) {
  std::vector<std::pair<void*, Value>> ended;
  {
    const base::Lock lock(mutex_);
    const auto begin = all_.lower_bound({&context, nullptr});
    auto end = begin;
    for (; end != all_.end() && end->first.first == &context; ++end) ended.emplace_back(end->first.second, end->second);
    all_.erase(begin, end);
  }
  for (const auto& [key, value] : ended)
    if (value.at_end) value.at_end(reinterpret_cast<CUcontext>(&context), key, value.value);
}

}  // namespace heddle::cuda_api
