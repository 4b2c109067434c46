#include "base/watcher.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "base/thread.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

using Callback = Watcher::Callback;
using Condition = Watcher::Condition;
using Prepared = Watcher::Prepared;

// Between two evaluations of a condition: a thousandth of the time that it has been false for, within these limits. So
// a short wait ends at once and a long one takes no processor time.
constexpr std::uint64_t shortest_pause_ns = 5'000, longest_pause_ns = 500'000, pauses_of_wait = 1'000;

// What the calling threads and the watcher's thread share. It outlives the watcher where a callback ends that.
class State {
 public:
  explicit State(std::shared_ptr<const Clock> clock) : clock_(std::move(clock)) {}

  const Clock& clock() const { return *clock_; }

  void post(Prepared callbacks) noexcept {
    {
      const Lock lock(mutex_);
      posted_.splice(posted_.end(), callbacks);
    }
    changed_.notify_one();  // without the lock, on which the thread would sleep again
  }
  bool more_posted() const { return more_posted_; }
  // All memory is allocated here, where the caller can be given an error. The watcher's thread has no caller.
  void poll(const void* sequence, std::uint64_t place, Condition condition, Callback callback) {
    std::list<Sequence> added(1);
    added.front().key = sequence;
    added.front().polled.push_back({place, std::move(condition), std::move(callback)});
    const Lock lock(mutex_);
    added_.splice(added_.end(), added);
    changed_.notify_one();
  }
  std::uint64_t at(std::uint64_t deadline_ns, Callback callback) {
    const Lock lock(mutex_);
    const std::uint64_t number = ++timers_made_;
    const auto made = timers_.emplace(std::pair(deadline_ns, number), std::move(callback)).first;
    if (made == timers_.begin()) changed_.notify_one();
    return number;
  }
  bool cancel(std::uint64_t timer) {
    const Lock lock(mutex_);
    return std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; }) > 0;
  }
  void stop() {
    const Lock lock(mutex_);
    stop_ = true;
    changed_.notify_one();
  }

  void run() HEDDLE_EXCLUDES(mutex_);

 private:
  struct Polled {
    std::uint64_t place;
    Condition condition;
    Callback callback;
  };
  struct Sequence {
    const void* key = nullptr;
    std::uint64_t since_ns = 0;  // when its first condition began to be evaluated
    std::list<Polled> polled;
  };

  // These give the lock back meanwhile, as callbacks and conditions run without it.
  bool run_posted() HEDDLE_REQUIRES(mutex_);
  bool run_timers() HEDDLE_REQUIRES(mutex_);
  void take_added() HEDDLE_REQUIRES(mutex_);
  bool run_polled() HEDDLE_REQUIRES(mutex_);
  std::optional<std::uint64_t> next_look() const HEDDLE_REQUIRES(mutex_);

  const std::shared_ptr<const Clock> clock_;
  Mutex mutex_;
  std::condition_variable changed_;
  Prepared posted_ HEDDLE_GUARDED_BY(mutex_);
  std::list<Sequence> added_ HEDDLE_GUARDED_BY(mutex_);  // of one condition each
  // By deadline and number.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Callback> timers_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t timers_made_ HEDDLE_GUARDED_BY(mutex_) = 0;
  bool stop_ HEDDLE_GUARDED_BY(mutex_) = false;
  // Of the watcher's thread alone.
  bool more_posted_ = false;  // run_posted() runs others after the one that runs now
  std::list<Sequence> sequences_;
};

bool State::run_posted() {
  if (posted_.empty()) return false;
  Prepared now;
  now.swap(posted_);
  mutex_.unlock();
  while (!now.empty()) {
    more_posted_ = now.size() > 1;
    now.front()();
    now.pop_front();
  }
  mutex_.lock();
  return true;
}

// Not those that are set meanwhile: a callback that sets the next timer at once, or for a time that is over, must not
// keep the others waiting.
bool State::run_timers() {
  bool any = false;
  const std::uint64_t now = clock_->now_ns(), last = timers_made_;
  for (;;) {
    auto due = timers_.begin();
    while (due != timers_.end() && due->first.first <= now && due->first.second > last) ++due;
    if (due == timers_.end() || due->first.first > now) return any;
    {
      const Callback callback = std::move(due->second);
      timers_.erase(due);
      mutex_.unlock();
      callback();
    }
    mutex_.lock();
    any = true;
  }
}

void State::take_added() {
  std::list<Sequence> added;
  added.swap(added_);
  mutex_.unlock();
  for (auto at = added.begin(); at != added.end();) {
    const auto next = at++;
    auto place = sequences_.end();
    if (next->key != nullptr)
      place = std::find_if(sequences_.begin(), sequences_.end(), [&](const Sequence& s) { return s.key == next->key; });
    if (place != sequences_.end()) {
      auto behind = place->polled.end();
      while (behind != place->polled.begin() && std::prev(behind)->place > next->polled.front().place) --behind;
      place->polled.splice(behind, next->polled);
    } else {
      next->since_ns = clock_->now_ns();
      sequences_.splice(sequences_.end(), added, next);
    }
  }
  mutex_.lock();
}

bool State::run_polled() {
  if (sequences_.empty()) return false;
  mutex_.unlock();
  bool any = false;
  for (Sequence& sequence : sequences_) {
    while (!sequence.polled.empty() && sequence.polled.front().condition()) {
      const Polled reached = std::move(sequence.polled.front());
      sequence.polled.pop_front();
      reached.callback();
      sequence.since_ns = clock_->now_ns();
      any = true;
    }
  }
  std::erase_if(sequences_, [](const Sequence& sequence) { return sequence.polled.empty(); });
  mutex_.lock();
  return any;
}

// When the thread has something to do that nobody wakes it for.
std::optional<std::uint64_t> State::next_look() const {
  std::optional<std::uint64_t> next;
  if (!timers_.empty()) next = timers_.begin()->first.first;
  if (sequences_.empty()) return next;
  const std::uint64_t now = clock_->now_ns();
  std::uint64_t shortest_wait = ~std::uint64_t{0};
  for (const Sequence& sequence : sequences_) shortest_wait = std::min(shortest_wait, now - sequence.since_ns);
  const std::uint64_t look = now + std::clamp(shortest_wait / pauses_of_wait, shortest_pause_ns, longest_pause_ns);
  return next ? std::min(*next, look) : look;
}

void State::run() {
  // The kernel lets a thread sleep 50 us longer than it asked for, unless it is told otherwise.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  Lock lock(mutex_);
  while (!stop_) {
    const bool posted = run_posted(), timed = run_timers();
    if (!added_.empty()) take_added();
    const bool polled = run_polled();
    if (posted || timed || polled || stop_ || !posted_.empty() || !added_.empty()) continue;
    if (const auto next = next_look())
      clock_->wait_until(lock, changed_, *next);
    else
      lock.wait(changed_);
  }
}

class ThreadWatcher final : public Watcher {
 public:
  explicit ThreadWatcher(std::shared_ptr<const Clock> clock) : state_(std::make_shared<State>(std::move(clock))) {}
  // The last reference may be a callback's.
  ~ThreadWatcher() override {
    if (!thread_.joinable()) return;
    state_->stop();
    if (is_own_thread())
      thread_.detach();
    else
      thread_.join();
  }
  ThreadWatcher(const ThreadWatcher&) = delete;
  ThreadWatcher& operator=(const ThreadWatcher&) = delete;

  const Clock& clock() const override { return state_->clock(); }
  void post(Prepared callbacks) noexcept override { state_->post(std::move(callbacks)); }
  bool more_posted() const override { return is_own_thread() && state_->more_posted(); }
  Prepared prepare(Callback callback) override {
    start();
    Prepared prepared;
    prepared.push_back(std::move(callback));
    return prepared;
  }
  void poll(const void* sequence, std::uint64_t place, Condition condition, Callback callback) override {
    start();
    state_->poll(sequence, place, std::move(condition), std::move(callback));
  }
  std::uint64_t at(std::uint64_t deadline_ns, Callback callback) override {
    start();
    return state_->at(deadline_ns, std::move(callback));
  }
  bool cancel(std::uint64_t timer) override { return state_->cancel(timer); }

  void drain() override {
    if (!started_.load(std::memory_order_acquire)) return;
    Mutex mutex;
    std::condition_variable changed;
    bool reached = false;
    state_->post(prepare([&] {
      const Lock lock(mutex);
      reached = true;
      changed.notify_one();
    }));
    Lock lock(mutex);
    while (!reached) lock.wait(changed);
  }

 private:
  bool is_own_thread() const { return thread_.get_id() == std::this_thread::get_id(); }
  void start() {
    if (started_.load(std::memory_order_acquire)) [[likely]]
      return;
    const Lock lock(start_mutex_);
    if (thread_.joinable()) return;
    thread_ = start_thread("heddle-watcher", [state = state_] { state->run(); });
    started_.store(true, std::memory_order_release);
  }

  const std::shared_ptr<State> state_;
  Mutex start_mutex_;
  std::atomic<bool> started_{false};
  std::thread thread_;
};

}  // namespace

std::shared_ptr<Watcher> make_watcher(std::shared_ptr<const Clock> clock) {
  return std::make_shared<ThreadWatcher>(std::move(clock));
}

std::shared_ptr<Watcher> process_watcher() {
  // Never destroyed: devices may end after main() has.
  struct Shared {
    Mutex mutex;
    std::weak_ptr<Watcher> watcher HEDDLE_GUARDED_BY(mutex);
  };
  static Shared* const shared = new Shared;
  const Lock lock(shared->mutex);
  auto watcher = shared->watcher.lock();
  if (!watcher) {
    watcher = make_watcher(std::make_shared<SteadyClock>());
    shared->watcher = watcher;
  }
  return watcher;
}

}  // namespace heddle::base
