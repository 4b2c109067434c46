// cuda::pipeline of a thread: batches of copies, in the order in which they were committed. The others of a block see
// them after a barrier.
#pragma once
#pragma clang system_header

#include "barrier_types.h"
#include "hide_macros.h"

namespace cuda {

template <thread_scope S>
class pipeline {
  static_assert(S == thread_scope_thread,
                "pipelines that several threads share are not supported: use cuda::barrier, or make_pipeline()");

 public:
  pipeline() = default;
  pipeline(pipeline&&) = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  __HEDDLE_D__ void producer_acquire() {}
  __HEDDLE_D__ void producer_commit() {
    __pipeline_commit();
    ++open_;
  }
  // For the oldest batch that was not released yet.
  __HEDDLE_D__ void consumer_wait() { __pipeline_wait_prior(open_ == 0 ? 0 : open_ - 1); }
  __HEDDLE_D__ void consumer_release() {
    if (open_ != 0) --open_;
  }
  __HEDDLE_D__ bool quit() {
    __pipeline_wait_prior(0);
    open_ = 0;
    return true;
  }

 private:
  __SIZE_TYPE__ open_ = 0;
};

__HEDDLE_D__ pipeline<thread_scope_thread> make_pipeline() { return {}; }

// Waits for all batches but the last `Count`.
template <__SIZE_TYPE__ Count>
__HEDDLE_D__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  __pipeline_wait_prior(Count);
}

template <typename Shape>
__HEDDLE_D__ void memcpy_async(void* to, const void* from, Shape size, pipeline<thread_scope_thread>&) {
  __details::copy_part(static_cast<char*>(to), static_cast<const char*>(from), size, 0, 1);
}
template <typename Group, typename Shape>
__HEDDLE_D__ void memcpy_async(const Group& group, void* to, const void* from, Shape size,
                                pipeline<thread_scope_thread>&) {
  __details::copy_part(static_cast<char*>(to), static_cast<const char*>(from), size, group.thread_rank(), group.size());
}

}  // namespace cuda
#include "show_macros.h"
