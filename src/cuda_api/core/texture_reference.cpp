#include "cuda_api/core/texture_reference.hpp"

#include <map>
#include <memory>
#include <utility>

#include "base/log.hpp"
#include "base/thread_safety.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/texture_object.hpp"

namespace heddle::cuda_api {
namespace {

// By the slot of the context and the variable. Never destroyed, as the process's state is not.
template <class T>
struct References {
  heddle::base::Mutex mutex;
  std::map<std::pair<int, std::uint64_t>, std::unique_ptr<T>> all HEDDLE_GUARDED_BY(mutex);

  T* get(Context& context, std::uint64_t variable) {
    const heddle::base::Lock lock(mutex);
    std::unique_ptr<T>& found = all[{context.slot(), variable}];
    if (!found) found = std::make_unique<T>();
    found->context = &context;
    found->variable = variable;
    return found.get();
  }
  T& check(T* reference) {
    const heddle::base::Lock lock(mutex);
    for (const auto& [key, known] : all)
      if (known.get() == reference) return *known;
    throw Failure(cudaErrorInvalidResourceHandle, "there is no such reference to a texture or surface");
  }
};
template <class T>
References<T>& references() {
  static auto* const made = new References<T>;
  return *made;
}

// `make` gives the new object's handle.
template <class T, class Make>
void renew(T& reference, bool is_surface, Make&& make) {
  const auto block = Process::get().memory.find(reference.variable);
  if (!block || block->kind != BlockKind::variable)
    throw Failure(cudaErrorInvalidResourceHandle, "the module of the reference was unloaded");
  reference.context->synchronize();
  auto* const variable = reinterpret_cast<std::uint64_t*>(reference.variable);
  if (reference.handle != 0 && *variable == reference.handle)
    destroy_object(*reference.context, reference.handle, is_surface);
  *variable = reference.handle = 0;
  *variable = reference.handle = make();
}

}  // namespace

CUtexref texture_reference(Context& context, std::uint64_t variable) {
  return references<CUtexref_st>().get(context, variable);
}
CUsurfref surface_reference(Context& context, std::uint64_t variable) {
  return references<CUsurfref_st>().get(context, variable);
}
CUtexref_st& reference_of(CUtexref reference) { return references<CUtexref_st>().check(reference); }
CUsurfref_st& reference_of(CUsurfref reference) { return references<CUsurfref_st>().check(reference); }

void bind(CUtexref_st& reference) {
  if (!reference.bound) return;
  renew(reference, false, [&]() -> std::uint64_t {
    try {
      return make_texture(*reference.context, reference.resource, reference.texture, nullptr);
    } catch (const Error& error) {  // what is set next may fit
      base::log_info("a reference to a texture is not bound: {}", error.what());
      return 0;
    }
  });
}

void bind(CUsurfref_st& reference) {
  renew(reference, true, [&] {
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = reference.array;
    return make_surface(*reference.context, resource);
  });
}

}  // namespace heddle::cuda_api
