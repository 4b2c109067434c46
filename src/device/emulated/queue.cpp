#include "device/emulated/queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/device.hpp"
#include "device/emulated/partition.hpp"
#include "device/launch_check.hpp"

namespace heddle::device::emulated {
CommandQueue::CommandQueue(Device& device, std::shared_ptr<DeviceState> state, int priority)
    : device_(device), state_(std::move(state)), priority_(priority), worker_("heddle-queue") {
  time_ = state_->engine->clock().now_ns();  // nothing of it has been done before
}

// After a failure commands are skipped; what is to be done in any case gets the failure there is.
void CommandQueue::push(std::function<void()> run, std::function<void(std::exception_ptr)> finally) {
  worker_.post([this, run = std::move(run), finally = std::move(finally)] {
    std::exception_ptr failure = this->failure();
    if (!failure && run) {
      try {
        run();
      } catch (...) {
        failure = std::current_exception();
        const base::Lock lock(mutex_);
        failure_ = failure;
      }
    }
    if (finally) finally(failure);
  });
}

std::exception_ptr CommandQueue::failure() const {
  const base::Lock lock(mutex_);
  return failure_;
}

namespace {

LoadedFunction& loaded_function(Function& function) {
  auto* loaded = dynamic_cast<LoadedFunction*>(&function);
  if (!loaded)
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded on another device",
               base::demangled(function.ptx().name));
  return *loaded;
}

}  // namespace

void CommandQueue::launch(Function& function, const LaunchConfig& config, BlockRange range,
                          std::span<const std::byte> arguments) {
  check_launch(device_.info(), loaded_function(function), config, range, arguments.size());
  push_launch(function, config, range, arguments, nullptr);
}

std::shared_ptr<StoppableLaunch> CommandQueue::launch_stoppable(Function& function, const LaunchConfig& config,
                                                                BlockRange range, std::span<const std::byte> arguments,
                                                                unsigned) {
  check_stoppable(device_.info(), loaded_function(function), config, range, arguments.size());
  auto flag = std::make_shared<StopFlag>(range);
  push_launch(function, config, range, arguments, flag);
  return flag;
}

// `flag`: null for launches that cannot be stopped.
void CommandQueue::push_launch(Function& function, const LaunchConfig& config, BlockRange range,
                               std::span<const std::byte> arguments, std::shared_ptr<StopFlag> flag) {
  LoadedFunction* loaded = &loaded_function(function);
  refuse_clusters(function.ptx(), state_->engine->name());
  state_->engine->check(*loaded, config, range);
  std::vector<std::byte> bytes(arguments.begin(), arguments.end());
  push([this, loaded, config, range, flag = std::move(flag), footprint = footprint_, processors = processors_,
        bytes = std::move(bytes)] {
    time_ = state_->engine->run(
        {*loaded, config, range, bytes, footprint.get(), flag.get(), processors.get(), priority_}, time_);
  });
}

void CommandQueue::check_span(const Span& span, const char* what) const {
  if (span.size == 0) return;
  if (span.address == 0) base::fail(ErrorCode::invalid_argument, "the {} of a copy or fill is a null pointer", what);
  if (span.device == nullptr) return;
  if (span.device == &device_) {
    if (!state_->machine.memory.find(span.address, span.size)) {
      base::fail(ErrorCode::invalid_argument, "the {} of a copy or fill, {} at {:#x}, is not within one allocation: {}",
                 what, base::counted(span.size, "byte"), span.address,
                 state_->machine.memory.describe_nearest(span.address));
    }
  } else if (!span.device->info().host_memory) {
    base::fail(ErrorCode::unsupported,
               "the {} of a copy is memory of device '{}', which {} cannot reach; use a queue of that device", what,
               span.device->info().id, state_->engine->name());
  }
}

Transfer CommandQueue::transfer(const Span& destination, const Span& source) const {
  return destination.device == &device_ && source.device == &device_ ? Transfer::inside : Transfer::crossing;
}

void CommandQueue::copy(Span destination, Span source) {
  if (source.size > destination.size)
    base::fail(ErrorCode::invalid_argument, "a copy of {} into a span of {}", base::counted(source.size, "byte"),
               destination.size);
  destination.size = source.size;
  check_span(destination, "destination");
  check_span(source, "source");
  push([this, destination, source] {
    std::lock_guard turn(state_->turn);
    if (source.size > 0)
      std::memmove(reinterpret_cast<void*>(destination.address), reinterpret_cast<const void*>(source.address),
                   source.size);
    ++state_->machine.memory_epoch;
    time_ = state_->engine->end_of_copy(time_, source.size, transfer(destination, source));
  });
}

void CommandQueue::copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) {
  check_span(span_of(destination, extent, "the destination of a copy"), "destination");
  check_span(span_of(source, extent, "the source of a copy"), "source");
  const Transfer crossing = transfer(span_of(destination, extent, "the destination of a copy"),
                                     span_of(source, extent, "the source of a copy"));
  push([this, destination, source, extent, crossing] {
    std::lock_guard turn(state_->turn);
    for (std::size_t i = 0; !extent.empty() && i < extent.height * extent.depth; ++i)
      std::memmove(reinterpret_cast<void*>(row_address(destination, extent, i)),
                   reinterpret_cast<const void*>(row_address(source, extent, i)), extent.width);
    ++state_->machine.memory_epoch;
    time_ = state_->engine->end_of_copy(time_, extent.width * extent.height * extent.depth, crossing);
  });
}

namespace {

void check_value(std::size_t bytes, unsigned value_bytes) {
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4)
    base::fail(ErrorCode::invalid_argument, "fill with values of {} bytes; 1, 2 and 4 are possible", value_bytes);
  if (bytes % value_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "fill of {} with values of {}", base::counted(bytes, "byte"),
               base::counted(value_bytes, "byte"));
}

void fill_row(std::uint64_t address, std::size_t size, std::uint32_t value, unsigned value_bytes) {
  auto* bytes = reinterpret_cast<std::byte*>(address);
  for (std::size_t i = 0; i < size; i += value_bytes) std::memcpy(bytes + i, &value, value_bytes);
}

}  // namespace

void CommandQueue::fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                            unsigned value_bytes) {
  check_value(extent.width, value_bytes);
  check_span(span_of(destination, extent, "the destination of a fill"), "destination");
  push([this, destination, extent, value, value_bytes] {
    std::lock_guard turn(state_->turn);
    for (std::size_t i = 0; !extent.empty() && i < extent.height * extent.depth; ++i)
      fill_row(row_address(destination, extent, i), extent.width, value, value_bytes);
    ++state_->machine.memory_epoch;
    time_ = state_->engine->end_of_copy(time_, extent.width * extent.height * extent.depth, Transfer::inside);
  });
}

void CommandQueue::fill(Span destination, std::uint32_t value, unsigned value_bytes) {
  check_value(destination.size, value_bytes);
  check_span(destination, "destination");
  push([this, destination, value, value_bytes] {
    std::lock_guard turn(state_->turn);
    fill_row(destination.address, destination.size, value, value_bytes);
    ++state_->machine.memory_epoch;
    time_ = state_->engine->end_of_copy(time_, destination.size, Transfer::inside);
  });
}

void CommandQueue::set_partition(const Partition* partition) {
  processors_ = nullptr;
  if (!partition) return;
  const auto* own = dynamic_cast<const EmulatedPartition*>(partition);
  if (!own || &own->owner() != &device_)
    base::fail(ErrorCode::invalid_argument, "the partition is of another device than {}", state_->engine->name());
  processors_ = std::make_shared<const ProcessorSet>(own->processors());
}

void CommandQueue::record(Event& event) {
  auto* own = dynamic_cast<QueueEvent*>(&event);
  if (!own) base::fail(ErrorCode::invalid_argument, "the event belongs to another device");
  push({}, [this, state = own->renew()](std::exception_ptr failure) {
    time_ = state_->engine->time(time_);
    state->complete(std::move(failure), time_);
  });
}

void CommandQueue::wait(const Event& event) {
  if (const auto* own = dynamic_cast<const QueueEvent*>(&event)) {
    if (auto state = own->current()) {
      push([this, state] {
        state->wait_done();
        time_ = std::max(time_, state->completed_ns());
      });
    }
    return;
  }
  if (auto point = event.point()) push([point = std::move(point)] { wait_until_done(*point); });
}

void CommandQueue::call(std::function<void()> function) { push(std::move(function)); }

void CommandQueue::synchronize() {
  worker_.drain();
  const base::Lock lock(mutex_);
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

}  // namespace heddle::device::emulated
