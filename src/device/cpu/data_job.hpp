// Commands other than launches: copies, fills and host functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/trace.hpp"
#include "device/box.hpp"
#include "device/cpu/job.hpp"

namespace heddle::device::cpu {

class Services;

// Reports start and end of such a command to the trace.
class TracedJob : public Job {
 public:
  TracedJob(base::TraceEvent::Kind kind, std::uint64_t bytes, std::uint64_t pieces, std::uint64_t queue_id,
            std::uint64_t command, Services& services)
      : Job({0, pieces}, queue_id),
        kind_(kind),
        bytes_(bytes),
        command_(command),
        task_(task_of(services)),
        services_(services) {}
  void skip() noexcept override;
  void set_way(base::TraceEvent::Way way) { way_ = way; }  // of a copy, before it is submitted

 protected:
  void note_start();
  void on_complete() noexcept override;
  Services& services() const { return services_; }

 private:
  static std::uint64_t task_of(const Services& services);
  void trace(base::TraceEvent::Phase phase, bool failed);
  const base::TraceEvent::Kind kind_;
  base::TraceEvent::Way way_ = base::TraceEvent::Way::within;
  const std::uint64_t bytes_, command_, task_;
  Services& services_;
  std::atomic<bool> started_{false};
};

class CopyJob final : public TracedJob {
 public:
  CopyJob(void* destination, const void* source, std::size_t bytes, std::uint64_t queue_id, std::uint64_t command,
          Services& services);
  void work(Worker& worker) noexcept override;

 private:
  void on_complete() noexcept override;

  std::byte* destination_;
  const std::byte* source_;
  std::size_t bytes_;
};

class FillJob final : public TracedJob {
 public:
  FillJob(void* destination, std::size_t bytes, std::uint32_t value, unsigned value_bytes, std::uint64_t queue_id,
          std::uint64_t command, Services& services);
  void work(Worker& worker) noexcept override;

 private:
  void on_complete() noexcept override;

  std::byte* destination_;
  std::size_t bytes_;
  std::uint32_t value_;
  unsigned value_bytes_;
};

// Calls a function for each row of a box; the rows are divided among several workers.
class BoxJob final : public TracedJob {
 public:
  // `on_one_worker`: one worker takes all rows, in order.
  BoxJob(base::TraceEvent::Kind kind, const BoxExtent& extent, bool on_one_worker, std::function<void(std::size_t)> row,
         std::uint64_t queue_id, std::uint64_t command, Services& services);
  void work(Worker& worker) noexcept override;

 private:
  std::size_t rows_, rows_of_piece_;
  std::function<void(std::size_t)> row_;
};

// A function of the host.
class CallJob final : public TracedJob {
 public:
  CallJob(std::function<void()> function, std::uint64_t queue_id, std::uint64_t command, Services& services);
  void call() noexcept;
  // Where the process can have no thread for it.
  void work(Worker&) noexcept override { call(); }

 private:
  std::function<void()> function_;
};

// A copy by the calling thread. The ranges may overlap. `streamed`: with stores that bypass the caches.
void copy_bytes(std::byte* destination, const std::byte* source, std::size_t bytes, bool streamed);
void fill_bytes(std::byte* destination, std::size_t bytes, std::uint32_t value, unsigned value_bytes);

// For the check of uninitialised memory: what a copy or a fill has written. Throw out_of_memory.
void note_copied(const Services& services, const void* to, const void* from, std::size_t bytes);
void note_filled(const Services& services, const void* to, std::size_t bytes);

}  // namespace heddle::device::cpu
