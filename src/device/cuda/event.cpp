#include "device/cuda/event.hpp"

#include <utility>

namespace heddle::device::cuda {

CudaPoint::CudaPoint(std::shared_ptr<DeviceState> state, bool timed, const void* queue, std::uint64_t place)
    : PolledPoint(state->watcher(), queue, place),
      state_(std::move(state)),
      timed_(timed),
      event_(state_->acquire_event(timed)) {}

CudaPoint::CudaPoint(std::shared_ptr<DeviceState> state, std::shared_ptr<const LateRecord> late)
    : PolledPoint(state->watcher(), nullptr),
      state_(std::move(state)),
      late_(std::move(late)),
      timed_(false),
      event_(late_->handle()),
      record_(Record::submitted) {}

CudaPoint::~CudaPoint() {
  if (!late_) state_->release_event(event_, timed_);
}

// Never throws: a device that is lost has nothing under way.
bool CudaPoint::done() const {
  if (done_.load(std::memory_order_acquire)) return true;
  if (state_->lost()) return true;
  if (!submitted()) return false;
  const driver::EventHandle event = handle();
  if (late_ && late_->result() != driver::success) return true;  // wait() throws it
  const driver::Result result = state_->driver().event_query(event);
  if (result == driver::error_not_ready) return false;
  if (result == driver::success) done_.store(true, std::memory_order_release);
  return true;
}

void CudaPoint::wait() const {
  record_.wait(Record::awaited, std::memory_order_acquire);
  if (record_.load(std::memory_order_acquire) == Record::failed) std::rethrow_exception(failure_);
  state_->check_lost();
  if (done_.load(std::memory_order_acquire)) return;
  const DeviceState::Current current(*state_);
  const driver::EventHandle event = handle();
  if (late_) state_->check(late_->result(), "the kernels before an event");
  state_->check(state_->driver().event_synchronize(event), "the kernels before an event");
  done_.store(true, std::memory_order_release);
}

void CudaPoint::renew(const void* queue, std::uint64_t place) {
  set_place(queue, place);
  done_.store(false, std::memory_order_relaxed);
  record_.store(Record::awaited, std::memory_order_relaxed);
  failure_ = nullptr;
}

void CudaPoint::submit() {
  record_.store(Record::submitted, std::memory_order_release);
  record_.notify_all();
}

void CudaPoint::fail(std::exception_ptr failure) {
  failure_ = std::move(failure);
  done_.store(true, std::memory_order_release);
  record_.store(Record::failed, std::memory_order_release);
  record_.notify_all();
}

std::uint64_t CudaPoint::completed_ns() const { return state_->time_of(event_); }

std::shared_ptr<CudaPoint> CudaEvent::current() const {
  const base::Lock lock(mutex_);
  return point_;
}

void CudaEvent::set(std::shared_ptr<CudaPoint> point) {
  const base::Lock lock(mutex_);
  point_ = std::move(point);
}

std::shared_ptr<CudaPoint> CudaEvent::next(const void* queue, std::uint64_t place) {
  const base::Lock lock(mutex_);
  if (point_ != nullptr && point_.use_count() == 1 && !point_->is_late())
    point_->renew(queue, place);
  else
    point_ = std::make_shared<CudaPoint>(state_, timed_, queue, place);
  return point_;
}

bool CudaEvent::done() const {
  const auto point = current();
  return !point || point->done();
}

void CudaEvent::wait() {
  if (const auto point = current()) point->wait();
}

unsigned long long CudaEvent::completed_ns() const {
  const auto point = current();
  return point && timed_ ? point->completed_ns() : 0;
}

}  // namespace heddle::device::cuda
