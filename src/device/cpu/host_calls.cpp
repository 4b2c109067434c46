#include "device/cpu/host_calls.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "device/cpu/adaptive_lock.hpp"

namespace heddle::device::cpu {

HostCalls::HostCalls(const base::Clock& clock, bool pinned, std::chrono::microseconds spin)
    : clock_(clock), spin_ns_(static_cast<std::uint64_t>(std::chrono::nanoseconds(spin).count())) {
  cpu_set_t processors;
  if (pinned && ::sched_getaffinity(0, sizeof processors, &processors) == 0) processors_ = processors;
}

HostCalls::~HostCalls() {
  stop_.store(true, std::memory_order_relaxed);
  base::Lock lock(mutex_);
  while (threads_running_ != 0) lock.wait(changed_);
}

void HostCalls::run(Function function) {
  auto given = std::make_unique<Function>(std::move(function));
  functions_.fetch_add(1, std::memory_order_relaxed);
  // To wake a thread up takes longer than most functions do.
  if (Function* spins = &nothing_yet_; next_.compare_exchange_strong(spins, given.get())) {
    given.release();  // NOLINT(bugprone-unused-return-value): it is the other thread's
    return;
  }
  try {
    start(*given);
  } catch (const std::exception& error) {
    if (put_off(*given)) return base::log_warn_once("a host function waits until another has returned", error.what());
    functions_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
}

void HostCalls::start(Function& function) {
  {
    const base::Lock lock(mutex_);
    ++threads_running_;
  }
  try {
    threads_.run([this, function]() mutable { run_all(std::move(function)); });
  } catch (...) {
    const base::Lock lock(mutex_);
    --threads_running_;
    throw;
  }
}

// Such functions may wait for each other, for ever. CUDA promises no more.
bool HostCalls::put_off(Function& function) {
  const base::Lock lock(mutex_);
  if (threads_running_ == 0) return false;
  put_off_.push_back(std::move(function));
  return true;
}

void HostCalls::run_all(Function function) {
  // A thread that a worker has started is bound to the worker's core at first.
  if (processors_) ::sched_setaffinity(0, sizeof *processors_, &*processors_);
  while (function) {
    function();
    function = nullptr;  // what it holds goes before the device can
    functions_.fetch_sub(1, std::memory_order_relaxed);
    const std::unique_ptr<Function> next = take_next();
    function = next != nullptr ? std::move(*next) : end_or_take();
  }
}

HostCalls::Function HostCalls::end_or_take() {
  const base::Lock lock(mutex_);
  if (!put_off_.empty()) {
    Function function = std::move(put_off_.front());
    put_off_.pop_front();
    return function;
  }
  if (--threads_running_ == 0) changed_.notify_all();
  return nullptr;
}

std::unique_ptr<HostCalls::Function> HostCalls::take_next() {
  Function* none = nullptr;
  if (!next_.compare_exchange_strong(none, &nothing_yet_)) return nullptr;  // another thread spins
  const std::uint64_t end = clock_.now_ns() + spin_ns_;
  do {
    for (unsigned turn = 0; turn < turns_between_clock_reads; ++turn) {
      if (next_.load(std::memory_order_relaxed) != &nothing_yet_)
        return std::unique_ptr<Function>(next_.exchange(nullptr));
      relax();
    }
  } while (!stop_.load(std::memory_order_relaxed) && clock_.now_ns() < end);
  Function* const last = next_.exchange(nullptr);
  return std::unique_ptr<Function>(last == &nothing_yet_ ? nullptr : last);
}

}  // namespace heddle::device::cpu
