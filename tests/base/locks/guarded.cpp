// What script/lint --locks has to accept.
#include "base/thread_safety.hpp"

namespace {

class Counter {
 public:
  void add() {
    const heddle::base::Lock lock(mutex_);
    add_locked();
  }
  int wait_for_more() {
    heddle::base::Lock lock(mutex_);
    while (count_ == 0) lock.wait(changed_);
    return count_;
  }

 private:
  void add_locked() HEDDLE_REQUIRES(mutex_) {
    ++count_;
    changed_.notify_all();
  }

  heddle::base::Mutex mutex_;
  std::condition_variable changed_;
  int count_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace

int main() {
  Counter counter;
  counter.add();
  return counter.wait_for_more();
}
