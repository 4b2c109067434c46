#include "device/cpu/time_limit.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "device/cpu/job.hpp"
#include "device/cpu/ready_jobs.hpp"
#include "device/cpu/services.hpp"

namespace heddle::device::cpu {
namespace {

// Between one signal and the next.
constexpr std::uint64_t pause_ns = 5'000'000;

}  // namespace

std::unique_ptr<TimeLimit> TimeLimit::make(Services& services) {
  return services.options.launch_timeout.count() == 0 ? nullptr : std::make_unique<TimeLimit>(services);
}

double TimeLimit::seconds() const { return std::chrono::duration<double>(services_.options.launch_timeout).count(); }

void TimeLimit::start(std::weak_ptr<Job> job, ReadyJobs& workers) {
  const auto limit = std::chrono::nanoseconds(services_.options.launch_timeout).count();
  timer_ = services_.watcher()->at(services_.now_ns() + static_cast<std::uint64_t>(limit),
                                   [this, job = std::move(job), &workers] { look(job, workers); });
}

void TimeLimit::end() { services_.watcher()->cancel(timer_); }

// On the watcher's thread. The job, and with it this object, exists as long as it can be locked.
void TimeLimit::look(const std::weak_ptr<Job>& job, ReadyJobs& workers) {
  const std::shared_ptr<Job> held = job.lock();
  if (held == nullptr || held->done()) return;
  expired_.store(true, std::memory_order_relaxed);
  workers.send_to_workers(time_limit_signal);
  try {
    timer_ = services_.watcher()->at(services_.now_ns() + pause_ns, [this, job, &workers] { look(job, workers); });
  } catch (const std::exception& error) {
    base::log_debug("workers get no second signal of a time limit: {}", error.what());
  }
}

void TimeLimit::add_place(std::string place) {
  const std::lock_guard guard(lock_);
  places_.push_back(std::move(place));
}

std::vector<std::string> TimeLimit::places() const {
  const std::lock_guard guard(lock_);
  return places_;
}

}  // namespace heddle::device::cpu
