#include "cuda_api/core/fork.hpp"

#include <pthread.h>

#include <atomic>

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {
namespace {

std::atomic<bool> forked{false};
std::atomic<void (*)()> at_fork{nullptr};

void begin_child() {
  forked.store(true, std::memory_order_relaxed);
  at_fork.load(std::memory_order_relaxed)();
}

}  // namespace

void watch_forks(void (*in_child)()) {
  at_fork.store(in_child, std::memory_order_relaxed);
  pthread_atfork(nullptr, nullptr, begin_child);
}

void require_not_forked() {
  if (forked.load(std::memory_order_relaxed))
    throw Failure(cudaErrorInitializationError,
                  "the process was forked from one that uses CUDA, and has none of its threads; start processes before "
                  "the first use of CUDA, or as new programs (Python: multiprocessing.get_context(\"spawn\"))");
}

}  // namespace heddle::cuda_api
