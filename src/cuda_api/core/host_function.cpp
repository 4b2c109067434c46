#include "cuda_api/core/host_function.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>

#include "base/print_error.hpp"
#include "cuda_api/core/thread_state.hpp"

namespace heddle::cuda_api {

void run_host_function(void (*work)(void*), void* data) {
  const InHostFunction here;
  try {
    work(data);
  } catch (abi::__forced_unwind&) {  // may not be left without throwing it on, and callers catch everything
    base::print_error(
        "heddle error: a host function of a stream has ended its thread, as pthread_exit does; the thread is Heddle's, "
        "so the process ends\n");
    std::fflush(nullptr);
    ::_exit(1);
  }
}

}  // namespace heddle::cuda_api
