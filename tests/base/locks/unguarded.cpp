// What script/lint --locks has to refuse: a number is used without its lock, before the lock is had and after it was
// given back.
#include "base/thread_safety.hpp"

namespace {

class Counter {
 public:
  int take() {
    const int before = count_;
    heddle::base::Lock lock(mutex_);
    count_ = 0;
    lock.unlock();
    return before + count_;
  }

 private:
  heddle::base::Mutex mutex_;
  int count_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace

int main() {
  Counter counter;
  return counter.take();
}
