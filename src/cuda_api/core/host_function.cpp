#include "cuda_api/core/host_function.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "base/print_error.hpp"
#include "cuda_api/core/failure.hpp"

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

// The exception that is being handled.
void print_exception() noexcept {
  const auto print = [](const char* what) {
    base::print_error(
        "heddle error: a host function of a stream has thrown an exception: {}; nobody can catch it there, so the "
        "process ends\n",
        what);
  };
  try {
    throw;
  } catch (const std::exception& error) {
    print(error.what());
  } catch (...) {
    print("its type is no std::exception");
  }
}

}  // namespace

bool in_host_function() noexcept { return is_here; }

void refuse_in_host_function() {
  if (is_here) throw Failure(cudaErrorNotPermitted, "host functions of streams must not call CUDA functions");
}

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
  } catch (...) {  // in CUDA too it reaches nobody: the function's caller is a thread of the driver
    print_exception();
    std::terminate();  // while the exception is there, so that the program's handler sees it
  }
}

}  // namespace heddle::cuda_api
