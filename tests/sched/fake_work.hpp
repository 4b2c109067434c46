// Work whose ranges end when the test says so, and what a dispatcher needs around it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/watcher.hpp"
#include "device/event.hpp"
#include "sched/held_task.hpp"

namespace heddle::sched {

// An event that is done when the test says so.
class FakeEvent final : public device::Event {
 public:
  class Point final : public device::EventPoint {
   public:
    bool done() const override { return done_; }
    bool on_done(std::function<void()> callback) const override {
      if (done_) return false;
      callback_ = std::move(callback);
      return true;
    }
    void complete() {
      done_ = true;
      if (callback_) std::exchange(callback_, nullptr)();
    }

   private:
    bool done_ = false;
    mutable std::function<void()> callback_;
  };
  bool done() const override { return point_->done(); }
  void wait() override {}
  unsigned long long completed_ns() const override { return end_ns_; }
  std::shared_ptr<const device::EventPoint> point() const override { return point_; }
  void complete(std::uint64_t now_ns) {
    end_ns_ = now_ns;
    const auto point = point_;
    point->complete();
  }

 private:
  std::uint64_t end_ns_ = 0;
  std::shared_ptr<Point> point_ = std::make_shared<Point>();
};

// What a device was given, in order: "name[begin,end)".
struct FakeDevice {
  std::vector<std::string> log;
  std::deque<std::shared_ptr<FakeEvent>> running;  // in order
};

struct FakeTask {
  std::string name;
  std::uint64_t blocks = 1;
  bool divisible = true, governed = true;
  double seconds_per_block = 0;
  std::function<void()> make_ready = {};  // null: it is ready
  std::function<void()> on_submit = {};
  const KernelTraits* corun = nullptr;
  std::uint64_t block_multiple = 1;
  bool holds_up = false, done_at_once = false;
};

class FakeWork final : public Work {
 public:
  FakeWork(FakeDevice& device, FakeTask task)
      : device_(device), task_(std::move(task)), ready_(task_.make_ready == nullptr) {}
  std::string_view name() const override { return task_.name; }
  std::size_t place() const override { return 0; }
  BlockRange blocks() const override { return {0, task_.blocks}; }
  bool divisible() override { return task_.divisible; }
  bool governed() const override { return task_.governed; }
  bool holds_up() const override { return task_.holds_up; }
  bool in_order() const override { return true; }
  LaunchTraits traits() override { return {.block_multiple = task_.block_multiple}; }
  bool is_ready() override { return ready_; }
  void make_ready() override {
    task_.make_ready();
    ready_ = true;
  }
  void submit(BlockRange range, bool, const device::Partition*, device::Event*) override {
    if (task_.on_submit) task_.on_submit();
    device_.log.push_back(task_.name + "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")");
    if (next_ && task_.done_at_once) next_->complete(0);
    if (next_) device_.running.push_back(std::exchange(next_, nullptr));
  }
  std::shared_ptr<device::Event> take_event() override { return next_ = std::make_shared<FakeEvent>(); }
  void give_event(std::shared_ptr<device::Event>) override {}
  double seconds_per_block() const override { return task_.seconds_per_block; }
  const KernelTraits* corun() const override { return task_.corun; }
  void measured(std::uint64_t blocks, double seconds) override {
    task_.seconds_per_block = seconds / static_cast<double>(blocks);
  }

 private:
  FakeDevice& device_;
  FakeTask task_;
  std::atomic<bool> ready_;
  std::shared_ptr<FakeEvent> next_;
};

}  // namespace heddle::sched
