#include "cuda_api/core/callback_line.hpp"

#include <exception>
#include <utility>

#include "base/thread.hpp"
#include "base/thread_cache.hpp"
#include "cuda_api/core/failure.hpp"
#include "cuda_api/core/host_function.hpp"

namespace heddle::cuda_api {
namespace {

// Never taken down: callbacks may run while the process ends.
base::ThreadCache& threads() {
  static auto* const made = new base::ThreadCache("heddle-callback");
  return *made;
}

void call(const CallbackLine::Callback& callback, cudaError_t status) {
  struct Call {
    const CallbackLine::Callback& callback;
    cudaError_t status;
  } made{callback, status};
  run_host_function(
      [](void* data) {
        const auto& [callback, status] = *static_cast<Call*>(data);
        callback.function(callback.stream, status, callback.data);
      },
      &made);
}

}  // namespace

std::shared_ptr<CallbackLine::Command> CallbackLine::add(const Callback& callback, heddle::Event before) {
  threads();                         // later there may be no memory for them
  std::shared_ptr<Command> command;  // ends without the lock, where there is no memory for the rest
  const base::Lock lock(mutex_);
  const std::uint64_t number = added_++;
  command = std::make_shared<Command>(shared_from_this(), number);
  open_.emplace(number, Entry{callback, std::move(before), base::blocked_signals()});
  return command;
}

std::uint64_t CallbackLine::added() const {
  const base::Lock lock(mutex_);
  return added_;
}

// The queue runs commands of a stream one at a time, and this one's caller keeps it: no other thread looks at it.
void CallbackLine::run(std::uint64_t number) {
  Callback callback{};
  {
    const base::Lock lock(mutex_);
    callback = open_.at(number).callback;
  }
  call(callback, cudaSuccess);
  drop(number);
}

void CallbackLine::drop(std::uint64_t number) {
  std::map<std::uint64_t, Entry>::node_type ended;  // without the lock, as that of its event
  const base::Lock lock(mutex_);
  ended = open_.extract(number);
  if (is_due()) start_thread();
  changed_.notify_all();
}

void CallbackLine::skip(std::uint64_t number) noexcept {
  const base::Lock lock(mutex_);
  const auto found = open_.find(number);
  if (found == open_.end()) return;  // it has run
  found->second.skipped = true;
  if (is_due()) start_thread();
}

// Where there is no memory or no thread for it, threads that wait for the stream call them.
void CallbackLine::start_thread() noexcept {
  if (calling_) return;
  try {
    threads().run([line = shared_from_this()] { line->call_skipped(); });
    calling_ = true;
  } catch (const std::exception&) {
    changed_.notify_all();
  }
}

void CallbackLine::call_skipped() {
  base::Lock lock(mutex_);
  while (is_due()) {
    const std::uint64_t number = open_.begin()->first;
    const Entry& entry = open_.begin()->second;
    lock.unlock();
    {
      const cudaError_t status = failure_before(entry.before);
      const base::SignalMask mask(entry.blocked);
      call(entry.callback, status);
    }
    drop(number);
    lock.lock();
  }
  calling_ = false;
}

void CallbackLine::wait(std::uint64_t count) {
  base::Lock lock(mutex_);
  while (!open_.empty() && open_.begin()->first < count) {
    if (is_due() && !calling_) {
      calling_ = true;
      lock.unlock();
      call_skipped();
      lock.lock();
    } else {
      lock.wait(changed_);
    }
  }
}

bool CallbackLine::done(std::uint64_t count) const {
  const base::Lock lock(mutex_);
  return open_.empty() || open_.begin()->first >= count;
}

cudaError_t CallbackLine::failure_before(const heddle::Event& before) const noexcept {
  try {
    if (before.done()) before.wait();
  } catch (const heddle::Error& error) {
    return code_of(error);
  } catch (const std::exception&) {  // the stream has ended
  }
  const cudaError_t known = sticky_.load(std::memory_order_acquire);
  return known == cudaSuccess ? cudaErrorLaunchFailure : known;
}

}  // namespace heddle::cuda_api
