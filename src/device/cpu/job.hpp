// Work that is divided into pieces among the pool's workers: a launch, a large copy, a host call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "device/cpu/adaptive_lock.hpp"
#include "device/partition.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::cpu {

class Worker;
class Job;

// A set of workers as bits. Empty (default) means all of them. Copies share the bits, and need no memory.
class WorkerSet {
 public:
  WorkerSet() = default;
  explicit WorkerSet(const ProcessorSet& processors) {
    if (processors.ids.empty()) return;
    std::vector<std::uint64_t> bits;
    for (const unsigned id : processors.ids) {
      if (bits.size() <= id / 64) bits.resize(id / 64 + 1);
      bits[id / 64] |= std::uint64_t{1} << (id % 64);
    }
    bits_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(bits));
  }
  bool all() const { return bits_ == nullptr; }
  bool contains(unsigned worker) const {
    return all() || (worker / 64 < bits_->size() && ((*bits_)[worker / 64] >> (worker % 64) & 1) != 0);
  }
  unsigned count(unsigned workers) const {
    unsigned members = 0;
    for (unsigned w = 0; w < workers; ++w) members += contains(w) ? 1 : 0;
    return members;
  }

 private:
  std::shared_ptr<const std::vector<std::uint64_t>> bits_;
};

// Is notified of the end of a job, on the thread that finished its last piece. Kept alive by its jobs.
class JobOwner {
 public:
  virtual ~JobOwner() = default;
  virtual void job_done(Job& job) noexcept = 0;
};

class Job {
 public:
  // Pieces are the numbers [range); `owner_id` identifies the queue.
  Job(BlockRange range, std::uint64_t owner_id)
      : owner_id(owner_id),
        next_(range.begin),
        end_(range.end),
        first_cancelled_(range.end),
        unfinished_(range.size()) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Works on pieces until none is left to take, or the worker has something more urgent to do. What goes wrong fails
  // the job: an exception would leave pieces that nobody finishes.
  virtual void work(Worker& worker) noexcept = 0;

  // Whether the worker could begin a piece now, in addition to the blocks that wait there.
  virtual bool fits([[maybe_unused]] const Worker& worker) const { return true; }

  bool has_pieces() const { return next_.load(std::memory_order_relaxed) < end_; }
  // Takes up to `most` pieces, in increasing order: a share of what is left, so that workers end at the same time.
  // `sharers` is the number of participating workers.
  BlockRange take(unsigned sharers, std::uint64_t most) {
    if (stopped_.load(std::memory_order_relaxed)) cancel_rest();
    std::uint64_t begin = next_.load(std::memory_order_relaxed);
    while (begin < end_) {
      const std::uint64_t share = std::max<std::uint64_t>(1, (end_ - begin) / (std::uint64_t{sharers} * shares_each));
      const std::uint64_t size = std::min(share, most);
      if (next_.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed)) return {begin, begin + size};
    }
    return {};
  }
  // `count` pieces are done; the last one ends the job. Afterwards only holders of a reference may access the job.
  void finish(std::uint64_t count) noexcept {
    if (count != 0 && unfinished_.fetch_sub(count, std::memory_order_acq_rel) == count) complete();
  }
  // Remembers the first failure and cancels the pieces that have not been taken. The caller still finishes its own.
  void fail(std::exception_ptr error) noexcept {
    {
      const std::lock_guard guard(failure_lock_);
      if (!failure_) failure_ = std::move(error);
    }
    failed_.store(true, std::memory_order_release);
    const std::uint64_t begin = next_.exchange(end_, std::memory_order_relaxed);
    if (begin < end_) finish(end_ - begin);
  }
  // The job will not run because an earlier one failed.
  virtual void skip() noexcept {
    first_cancelled_.store(next_.load(std::memory_order_relaxed), std::memory_order_release);
  }
  // Cancels the pieces that have not been taken, when a worker next asks for one. Any thread, at any time.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  // The first piece that was cancelled by stop(), or the end. Valid when the job is done.
  std::uint64_t first_cancelled() const { return first_cancelled_.load(std::memory_order_acquire); }
  bool done() const { return unfinished_.load(std::memory_order_acquire) == 0; }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // Valid when the job is done.
  const std::exception_ptr& failure() const { return failure_; }

  const std::uint64_t owner_id;
  int priority = 0;
  std::uint64_t sequence = 0;  // given by the pool: first come, first served
  WorkerSet allowed;
  std::shared_ptr<JobOwner> owner;

 protected:
  // For on_complete(): a better text for what fail() was given.
  void replace_failure(std::exception_ptr error) noexcept { failure_ = std::move(error); }
  // Called once, before the owner is notified.
  virtual void on_complete() noexcept {}

 private:
  // A worker's first chunk is 1/shares_each of its fair share: workers that join later still find work (guided
  // self-scheduling, Polychronopoulos and Kuck, 1987).
  static constexpr unsigned shares_each = 4;

  void cancel_rest() noexcept {
    const std::uint64_t begin = next_.exchange(end_, std::memory_order_relaxed);
    if (begin >= end_) return;
    first_cancelled_.store(begin, std::memory_order_release);
    finish(end_ - begin);
  }

  void complete() noexcept {
    on_complete();
    const std::shared_ptr<JobOwner> keep = std::move(owner);
    if (keep) keep->job_done(*this);
  }

  alignas(64) std::atomic<std::uint64_t> next_;
  const std::uint64_t end_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> first_cancelled_;
  alignas(64) std::atomic<std::uint64_t> unfinished_;
  std::atomic<bool> failed_{false};
  AdaptiveLock failure_lock_;
  std::exception_ptr failure_;
};

}  // namespace heddle::device::cpu
