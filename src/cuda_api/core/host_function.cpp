#include "cuda_api/core/host_function.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>

#include "base/print_error.hpp"

namespace heddle::cuda_api {
namespace {

// No part of ThreadState, which ends before the rest of the process if such a function calls exit().
constinit thread_local bool is_here = false;

class Mark {
 public:
  Mark() { is_here = true; }
  ~Mark() { is_here = before_; }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

 private:
  const bool before_ = is_here;
};

}  // namespace

bool in_host_function() noexcept { return is_here; }

void run_host_function(void (*work)(void*), void* data) {
  const Mark mark;
  try {
    work(data);
  } catch (abi::__forced_unwind&) {  // may not be left without throwing it on, and callers catch everything
    base::print_error(
        "heddle error: a host function of a stream has ended the thread that ran it, as pthread_exit does; the stream "
        "would never end, so the process ends\n");
    std::fflush(nullptr);
    ::_exit(1);
  }
}

}  // namespace heddle::cuda_api
