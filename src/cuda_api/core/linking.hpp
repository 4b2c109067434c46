// Links in progress: what a CUlinkState points to.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/thread_safety.hpp"
#include "cuda_api/core/jit_options.hpp"

// Texts to be linked, and the result. One thread at a time uses it, as CUDA requires.
struct CUlinkState_st {
  struct Input {
    std::string text, name;
  };
  std::vector<Input> inputs;
  heddle::cuda_api::JitOptions options;  // with buffers of the program's, which keeps them until the link is destroyed
  std::string linked;
};

namespace heddle::cuda_api {

// Any thread.
class Links {
 public:
  CUlinkState_st& make(const JitOptions& options);
  // Throws cudaErrorInvalidResourceHandle.
  CUlinkState_st& find(CUlinkState_st* state) const;
  void end(CUlinkState_st* state);

 private:
  mutable heddle::base::Mutex mutex_;
  std::unordered_map<const CUlinkState_st*, std::unique_ptr<CUlinkState_st>> all_ HEDDLE_GUARDED_BY(mutex_);
};

// The process's; never destroyed.
Links& links();

}  // namespace heddle::cuda_api
