#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/thread_safety.hpp"
#include "batch/executor.hpp"
#include "heddle/error.hpp"

namespace heddle::batch {
namespace {

constexpr std::size_t most_queues = 16;

class QueueExecutor final : public Executor {
 public:
  QueueExecutor(device::Device& device, std::shared_ptr<base::Watcher> watcher)
      : device_(device), watcher_(std::move(watcher)), begin_ns_(device.clock().now_ns()) {}
  ~QueueExecutor() override {
    end(lanes_);
    for (auto& [kernel, turns] : slices_) end(turns.lanes);
    watcher_->drain();  // callbacks refer to this
  }
  unsigned processors() const override { return std::max(1u, device_.info().processors); }
  std::uint64_t now_ns() const override { return device_.clock().now_ns() - begin_ns_; }
  bool idle() const override { return ranges_.empty(); }
  bool keeps_order() const override { return true; }

  void submit(Kernel& kernel, BlockRange range, Done done) override {
    const bool is_whole = range.size() == kernel.blocks();
    Lane& lane = is_whole ? lane_of(kernel) : next_of(kernel);
    Range& made = ranges_.emplace_back(Range{&lane, &kernel, device_.event(), std::move(done)});
    try {
      if (kernel.ordered()) put_behind(kernel, range, made);
      lane.queue->launch(kernel.function(), kernel.config(), range, kernel.arguments());
      lane.queue->record(*made.end);
    } catch (...) {
      ranges_.pop_back();
      throw;
    }
    ++lane.ranges;
    const auto ended = [this, range_ended = &made] {
      const base::Lock lock(mutex_);
      ended_.push_back(range_ended);
      changed_.notify_all();
    };
    const auto point = made.end->point();
    if (!point || !point->on_done(ended)) ended();
  }

  void wait(std::optional<std::uint64_t> until_ns) override {
    std::vector<Range*> ended;
    {
      base::Lock lock(mutex_);
      while (ended_.empty() && (!until_ns || now_ns() < *until_ns)) {
        if (!until_ns && ranges_.empty()) return;
        if (until_ns)
          device_.clock().wait_until(lock, changed_, begin_ns_ + *until_ns);
        else
          changed_.wait(lock.native());
      }
      ended.swap(ended_);
    }
    for (Range* const range : ended) finish(*range);
  }

 private:
  struct Lane {
    std::unique_ptr<device::Queue> queue;
    std::size_t ranges = 0;
  };
  struct Turns {
    std::deque<Lane> lanes;
    std::size_t next = 0;
  };
  struct Range {
    Lane* lane;
    const Kernel* kernel;
    std::shared_ptr<device::Event> end;
    Done done;
  };
  // Of a kernel whose launches follow each other: the last event of each queue.
  using Ends = std::map<Lane*, std::shared_ptr<device::Event>>;
  struct Order {
    Ends before, current;  // of the launch before, of this one
  };

  // What a kernel failed with, its range has told, or nobody waits for it any more.
  static void end(std::deque<Lane>& lanes) {
    for (Lane& lane : lanes) try {
        lane.queue->synchronize();
      } catch (const Error& error) {
        base::log_debug("a failure that is known: {}", error.what());
      }
  }
  Lane& emptiest(std::deque<Lane>& lanes, std::size_t most) {
    const auto least =
        std::min_element(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) { return a.ranges < b.ranges; });
    if (least != lanes.end() && (least->ranges == 0 || lanes.size() == most)) return *least;
    return lanes.emplace_back(Lane{device_.queue({}), 0});
  }
  // Of a whole launch. One that follows another goes behind it.
  Lane& lane_of(const Kernel& kernel) {
    const auto order = orders_.find(&kernel);
    if (order != orders_.end())
      for (const auto& [lane, end] : order->second.current)
        if (lane->ranges != 0) return *lane;
    return emptiest(lanes_, most_queues);
  }
  // The queue that a range is for waits for the launch before, as far as that is in other queues.
  void put_behind(const Kernel& kernel, BlockRange range, const Range& made) {
    Order& order = orders_[&kernel];
    if (range.begin == 0) order.before = std::exchange(order.current, {});
    for (const auto& [lane, end] : order.before)
      if (lane != made.lane) made.lane->queue->wait(*end);
    order.current[made.lane] = made.end;
  }
  // Slices take turns in the queues of their kernel, so that these are equally far.
  Lane& next_of(const Kernel& kernel) {
    Turns& turns = slices_[&kernel];
    if (turns.lanes.size() < lanes_of_slices) return turns.lanes.emplace_back(Lane{device_.queue({}), 0});
    return turns.lanes[turns.next++ % lanes_of_slices];
  }

  void finish(Range& range) {
    try {
      range.end->wait();
    } catch (const Error& error) {
      throw with_place(error, {range.kernel});
    }
    const std::uint64_t end_ns = range.end->completed_ns();
    const Done done = std::move(range.done);
    --range.lane->ranges;
    ranges_.remove_if([&](const Range& other) { return &other == &range; });
    done(end_ns > begin_ns_ ? end_ns - begin_ns_ : now_ns());
  }

  device::Device& device_;
  const std::shared_ptr<base::Watcher> watcher_;
  const std::uint64_t begin_ns_;
  std::deque<Lane> lanes_;
  std::map<const Kernel*, Turns> slices_;
  std::map<const Kernel*, Order> orders_;
  std::list<Range> ranges_;
  base::Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Range*> ended_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Executor> make_queue_executor(device::Device& device, std::shared_ptr<base::Watcher> watcher) {
  return std::make_unique<QueueExecutor>(device, std::move(watcher));
}

}  // namespace heddle::batch
