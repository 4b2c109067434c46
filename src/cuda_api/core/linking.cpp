#include "cuda_api/core/linking.hpp"

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {

Links& links() {
  static Links* const made = new Links;  // never taken down, see Process
  return *made;
}

CUlinkState_st& Links::make(const JitOptions& options) {
  const base::Lock lock(mutex_);
  auto made = std::make_unique<CUlinkState_st>(CUlinkState_st{{}, options, {}});
  return *all_.emplace(made.get(), std::move(made)).first->second;
}

CUlinkState_st& Links::find(CUlinkState_st* state) const {
  const base::Lock lock(mutex_);
  if (!all_.contains(state))
    throw Failure(cudaErrorInvalidResourceHandle, "the link was not created, or was destroyed before");
  return *state;
}

void Links::end(CUlinkState_st* state) {
  find(state);
  const base::Lock lock(mutex_);
  all_.erase(state);
}

}  // namespace heddle::cuda_api
