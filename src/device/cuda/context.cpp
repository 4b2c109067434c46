#include "device/cuda/context.hpp"

#include <map>

#include "base/fail.hpp"
#include "base/thread_safety.hpp"

namespace heddle::device::cuda {
namespace {

// What the process has open, or has lost, by GPU.
struct Open {
  base::Mutex mutex;
  struct Entry {
    std::weak_ptr<PrimaryContext> context;
    std::string loss;
  };
  std::map<driver::DeviceNumber, Entry> entries;
};

// Never destroyed: contexts may end after main() has.
Open& process() {
  static Open* const open = new Open;
  return *open;
}

}  // namespace

std::shared_ptr<PrimaryContext> PrimaryContext::open(std::shared_ptr<const Driver> driver, driver::DeviceNumber number,
                                                     const std::string& id) {
  const base::Lock lock(process().mutex);
  Open::Entry& entry = process().entries[number];
  if (!entry.loss.empty())
    base::fail(ErrorCode::device_lost, "{} is lost to this process since {}; a new process can use it", id, entry.loss);
  if (auto there = entry.context.lock()) return there;
  std::shared_ptr<PrimaryContext> context(new PrimaryContext(driver, number));
  const driver::Result result = driver->primary_retain(&context->handle_, number);
  if (result != driver::success) {
    context->handle_ = nullptr;
    base::fail(is_sticky(result) ? ErrorCode::device_lost : ErrorCode::unsupported,
               "{}: making a context on the GPU failed: {}{}", id, driver->describe(result),
               is_sticky(result) ? ". Other code of this process has lost it; a new process can use the GPU" : "");
  }
  entry.context = context;
  return context;
}

PrimaryContext::~PrimaryContext() {
  if (handle_ && !lost()) driver_->primary_release(number_);
}

bool PrimaryContext::lose(const std::string& loss) {
  {
    const base::Lock lock(mutex_);
    if (lost_.load(std::memory_order_relaxed)) return false;
    loss_ = loss;
    lost_.store(true, std::memory_order_release);
  }
  const base::Lock lock(process().mutex);
  process().entries[number_].loss = loss;
  return true;
}

std::string PrimaryContext::loss() const {
  const base::Lock lock(mutex_);
  return loss_;
}

}  // namespace heddle::device::cuda
