#include "cli/main_stack.hpp"

#include <pthread.h>

#include "base/system_limits.hpp"

namespace heddle::cli {
namespace {

struct Work {
  const std::function<int()>& work;
  int result = 0;
};

void* run(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  work.result = work.work();
  return nullptr;
}

}  // namespace

int run_with_stack(const std::function<int()>& work) {
  const auto limit = base::stack_limit();
  if (!limit || *limit >= base::usual_stack_bytes) return work();
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return work();
  pthread_attr_setstacksize(&attributes, base::usual_stack_bytes);
  pthread_setattr_default_np(&attributes);
  Work shared{work};
  pthread_t thread{};
  const bool started = pthread_create(&thread, &attributes, &run, &shared) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return work();
  pthread_join(thread, nullptr);
  return shared.result;
}

}  // namespace heddle::cli
