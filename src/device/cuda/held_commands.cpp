#include "device/cuda/held_commands.hpp"

#include <utility>

namespace heddle::device::cuda {
namespace {

// Of one queue, before the watcher's thread turns to others.
constexpr unsigned most_on_watcher = 32;

}  // namespace

void HeldCommands::add(Step step) {
  {
    const base::Lock lock(mutex_);
    steps_.push_back(std::move(step));
    busy_.store(true, std::memory_order_release);
  }
  advance(Thread::may_block);
}

void HeldCommands::call(std::function<void()> function) { add(Call{std::move(function)}); }

void HeldCommands::wait(std::shared_ptr<const EventPoint> point) { add(Wait{std::move(point)}); }

void HeldCommands::hold_back(std::function<void()> command, std::function<void(std::exception_ptr)> skipped,
                             bool may_block) {
  add(Command{std::move(command), std::move(skipped), may_block});
}

void HeldCommands::drain() {
  base::Lock lock(mutex_);
  while (!steps_.empty() || in_step_ || advancing_) lock.wait(changed_);
}

std::exception_ptr HeldCommands::take_failure() {
  const base::Lock lock(mutex_);
  busy_.store(!steps_.empty() || in_step_ || advancing_, std::memory_order_release);
  return std::exchange(failure_, nullptr);
}

void HeldCommands::fail(std::exception_ptr failure) {
  const base::Lock lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
}

void HeldCommands::resume(Thread thread) {
  {
    const base::Lock lock(mutex_);
    in_step_ = false;
  }
  advance(thread);
}

bool HeldCommands::may_continue(Thread thread, unsigned done) {
  if (thread == Thread::may_block) return true;
  const auto* const command = std::get_if<Command>(&steps_.front());
  if (done < most_on_watcher && (command == nullptr || !command->may_block)) return true;
  try {
    state_->host_threads().run([self = shared_from_this()] { self->resume(Thread::may_block); });
  } catch (const Error&) {
    return true;  // better late than never
  }
  in_step_ = true;
  return false;
}

void HeldCommands::advance(Thread thread) {
  base::Lock lock(mutex_);
  if (advancing_) return;
  advancing_ = true;
  for (unsigned done = 0; !in_step_ && !steps_.empty() && may_continue(thread, done); ++done) {
    Step step = std::move(steps_.front());
    steps_.pop_front();
    in_step_ = true;  // before the step can end
    const std::exception_ptr failure = failure_;
    lock.unlock();
    bool over = true;
    if (!failure)
      over = start(step);
    else if (auto* const command = std::get_if<Command>(&step); command != nullptr && command->skipped)
      command->skipped(failure);
    step = Wait{};  // what it holds may take locks when it ends
    lock.lock();
    if (over) in_step_ = false;
  }
  advancing_ = false;
  if (in_step_ || !steps_.empty()) return;
  busy_.store(failure_ != nullptr, std::memory_order_release);
  changed_.notify_all();
}

bool HeldCommands::start(Step& step) {
  try {
    if (auto* const call = std::get_if<Call>(&step)) return start_call(std::move(call->function));
    if (const auto* const wait = std::get_if<Wait>(&step))
      return !wait->point->on_done([self = shared_from_this()] { self->resume(Thread::must_not_block); });
    const DeviceState::Current current(*state_);
    std::get<Command>(step).run();
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    if (const auto* const command = std::get_if<Command>(&step); command != nullptr && command->skipped)
      command->skipped(failure);
    fail(failure);
  }
  return true;
}

bool HeldCommands::start_call(std::function<void()> function) {
  std::shared_ptr<const CudaPoint> before;
  {
    const DeviceState::Current current(*state_);
    before = stream_.mark();
  }
  const auto run = [self = shared_from_this(), function = std::move(function)] {
    try {
      self->state_->host_threads().run([self, function] { self->run_function(function); });
    } catch (...) {
      self->fail(std::current_exception());
      self->resume(Thread::must_not_block);
    }
  };
  if (!before->on_done(run)) run();
  return false;
}

void HeldCommands::run_function(const std::function<void()>& function) {
  try {
    const DeviceState::Current current(*state_);
    stream_.synchronize();  // it is done: this finds what failed
    const DeviceState::Foreign foreign(*state_);
    function();
  } catch (...) {
    fail(std::current_exception());
  }
  resume(Thread::may_block);
}

}  // namespace heddle::device::cuda
