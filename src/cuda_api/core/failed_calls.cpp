#include "cuda_api/core/failed_calls.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/memory_limit.hpp"
#include "base/thread_safety.hpp"

namespace heddle::cuda_api {
namespace {

// How often each sentence was said. A program whose launches all fail says one as often as it launches. Of as many
// sentences as have a place; one that takes another's place begins anew. Allocates nothing.
class Repetitions {
 public:
  // How often the sentence was said, with this time.
  std::uint64_t count(const char* function, cudaError_t code, const char* message) {
    const auto seed = base::hash64(function) + static_cast<std::uint64_t>(code);
    const std::uint64_t sentence = base::hash64(message, seed);
    const base::Lock lock(mutex_);
    Said& said = said_[sentence % places];
    if (said.sentence != sentence) said = {sentence, 0};
    return ++said.times;
  }

 private:
  static constexpr std::size_t places = 64;
  struct Said {
    std::uint64_t sentence = 0, times = 0;
  };
  base::Mutex mutex_;
  Said said_[places] HEDDLE_GUARDED_BY(mutex_);
};

bool is_power_of_ten(std::uint64_t number) {
  while (number % 10 == 0) number /= 10;
  return number == 1;
}

}  // namespace

bool is_first_for_limit(cudaError_t code, const char* message) {
  static std::atomic<bool> told{false};
  return code == cudaErrorMemoryAllocation && base::names_memory_limit(message) && !told.exchange(true);
}

void say_failure(const char* function, cudaError_t code, const char* message) {
  static constinit Repetitions repetitions;
  const std::uint64_t times = repetitions.count(function, code, message);
  if (!is_power_of_ten(times))
    base::log_info("{}: {} ({})", function, message, name_of(code));
  else if (times == 1)
    base::log_error("{}: {} ({})", function, message, name_of(code));
  else
    base::log_error("{}: {} ({}); for the {}th time", function, message, name_of(code), times);
}

}  // namespace heddle::cuda_api
