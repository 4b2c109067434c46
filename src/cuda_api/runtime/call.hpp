// How every function of the runtime API runs: exceptions become codes, codes become the thread's last error, and the
// sentence goes to the log.
#pragma once

#include <new>

#include "cuda_api/core/arguments.hpp"
#include "cuda_api/core/host_function.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/thread_state.hpp"

#define HEDDLE_CUDA_API extern "C" __attribute__((visibility("default")))

// A function and its twin, which has the suffix in its name and for which a null stream is the calling thread's own:
// `per_thread` in the body, which both share.
#define HEDDLE_CUDA_TWINS(result, name, suffix, parameters, ...) \
  HEDDLE_CUDA_API result name parameters {                       \
    [[maybe_unused]] constexpr bool per_thread = false;          \
    __VA_ARGS__                                                  \
  }                                                              \
  HEDDLE_CUDA_API result name##suffix parameters {               \
    [[maybe_unused]] constexpr bool per_thread = true;           \
    __VA_ARGS__                                                  \
  }
// The twin of one that takes no stream is called _ptds, of one that does _ptsz.
#define HEDDLE_CUDA_DS(name, parameters, ...) HEDDLE_CUDA_TWINS(cudaError_t, name, _ptds, parameters, __VA_ARGS__)
#define HEDDLE_CUDA_SZ(name, parameters, ...) HEDDLE_CUDA_TWINS(cudaError_t, name, _ptsz, parameters, __VA_ARGS__)

namespace heddle::cuda_api {

// Keeps the code as the thread's last error, and logs the sentence: as an error if it ends the context or is not
// supported, and once in a process if the limit of its address space is the cause; with HEDDLE_LOG=info everything
// else.
cudaError_t failed(const char* function, cudaError_t code, const char* message) noexcept;
// The same where the process itself has no memory left, with its limit.
cudaError_t failed_for_memory(const char* function) noexcept;

// Runs f(), which launches, or prepares a launch. Where it lacks memory, the sentence is an error in the log: programs
// expect that of calls that allocate, and pass over it elsewhere.
template <class F>
void launching(F&& f) {
  try {
    f();
  } catch (...) {
    thread_state().launch_lacked_memory = true;
    throw;
  }
}

// Runs f(), which throws Failure or Error.
template <class F>
cudaError_t guarded(const char* function, F&& f) noexcept {
  try {
    f();
    return cudaSuccess;
  } catch (const Failure& failure) {
    return failed(function, failure.code(), failure.what());
  } catch (const Error& error) {
    return failed(function, code_of(error), error.what());
  } catch (const std::bad_alloc&) {
    return failed_for_memory(function);
  } catch (const std::exception& error) {
    return failed(function, cudaErrorUnknown, error.what());
  }
}

// The same with the current device's context, unless an earlier error has ended that context, or a stream runs the
// caller: a host function that waited for its own stream would wait for ever.
template <class F>
cudaError_t with_context(const char* function, F&& f) noexcept {
  return guarded(function, [&] {
    refuse_in_host_function();
    Context& context = Process::get().current();
    context.check_sticky();
    f(context);
  });
}

// The same for calls that wait: those do so in a context that an error has ended, too, and then return that error.
template <class F>
cudaError_t waiting_in_context(const char* function, F&& f) noexcept {
  return guarded(function, [&] {
    refuse_in_host_function();
    Context& context = Process::get().current();
    f(context);
    context.check_sticky();
  });
}

inline void require(bool holds, cudaError_t code, const char* message) {
  if (!holds) throw Failure(code, message);
}

// Throws cudaErrorNotSupported with the name of the feature that Heddle does not have.
[[noreturn]] void not_supported(const std::string& what);

}  // namespace heddle::cuda_api
