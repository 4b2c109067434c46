#include "device/interp/queue.hpp"

#include <cstring>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/device.hpp"
#include "device/interp/launch.hpp"
#include "device/launch_check.hpp"
#include "device/partition.hpp"

namespace heddle::device::interp {
namespace {

void check(const DeviceInfo& info, const LoadedFunction& function, const LaunchConfig& config, BlockRange range,
           std::size_t argument_bytes) {
  check_launch(info, function, config, range, argument_bytes);
  refuse_clusters(function.ptx(), "the interpreter");
  // Each thread of a resident block takes memory.
  constexpr std::uint64_t most_threads = 1 << 20;
  if (config.cooperative && range.size() > most_threads / config.block.count())
    base::fail(
        ErrorCode::invalid_argument,
        "kernel '{}': a cooperative launch of {} blocks of {} threads is too large; {} such blocks can be under way "
        "at once",
        base::demangled(function.ptx().name), range.size(), config.block.count(), most_threads / config.block.count());
}

}  // namespace

InterpQueue::InterpQueue(Device& device, std::shared_ptr<DeviceState> state)
    : device_(device), state_(std::move(state)), worker_("heddle-interp") {}

// After a failure commands are skipped; what is to be done in any case gets the failure there is.
void InterpQueue::push(std::function<void()> run, std::function<void(std::exception_ptr)> finally) {
  worker_.post([this, run = std::move(run), finally = std::move(finally)] {
    std::exception_ptr failure = this->failure();
    if (!failure && run) {
      try {
        run();
      } catch (...) {
        failure = std::current_exception();
        const std::lock_guard lock(mutex_);
        failure_ = failure;
      }
    }
    if (finally) finally(failure);
  });
}

std::exception_ptr InterpQueue::failure() const {
  const std::lock_guard lock(mutex_);
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

void InterpQueue::launch(Function& function, const LaunchConfig& config, BlockRange range,
                         std::span<const std::byte> arguments) {
  LoadedFunction* loaded = &loaded_function(function);
  check(device_.info(), *loaded, config, range, arguments.size());
  std::vector<std::byte> bytes(arguments.begin(), arguments.end());
  push([loaded, config, range, footprint = footprint_, bytes = std::move(bytes)] {
    Launch(*loaded, config, range, bytes, footprint.get()).run();
  });
}

std::shared_ptr<StoppableLaunch> InterpQueue::launch_stoppable(Function& function, const LaunchConfig& config,
                                                               BlockRange range, std::span<const std::byte> arguments,
                                                               unsigned) {
  LoadedFunction* loaded = &loaded_function(function);
  check_stoppable(device_.info(), *loaded, config, range, arguments.size());
  refuse_clusters(loaded->ptx(), "the interpreter");
  std::vector<std::byte> bytes(arguments.begin(), arguments.end());
  auto flag = std::make_shared<StopFlag>(range);
  push([loaded, config, range, flag, footprint = footprint_, bytes = std::move(bytes)] {
    Launch launch(*loaded, config, range, bytes, footprint.get(), flag.get());
    launch.run();
    flag->advance(launch.next_block());
  });
  return flag;
}

void InterpQueue::check_span(const Span& span, const char* what) const {
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
               "the {} of a copy is memory of device '{}', which the interpreter cannot reach; use "
               "a queue of that device",
               what, span.device->info().id);
  }
}

void InterpQueue::copy(Span destination, Span source) {
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
  });
}

void InterpQueue::copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) {
  check_span(span_of(destination, extent, "the destination of a copy"), "destination");
  check_span(span_of(source, extent, "the source of a copy"), "source");
  push([this, destination, source, extent] {
    std::lock_guard turn(state_->turn);
    for (std::size_t i = 0; !extent.empty() && i < extent.height * extent.depth; ++i)
      std::memmove(reinterpret_cast<void*>(row_address(destination, extent, i)),
                   reinterpret_cast<const void*>(row_address(source, extent, i)), extent.width);
    ++state_->machine.memory_epoch;
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

void InterpQueue::fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                           unsigned value_bytes) {
  check_value(extent.width, value_bytes);
  check_span(span_of(destination, extent, "the destination of a fill"), "destination");
  push([this, destination, extent, value, value_bytes] {
    std::lock_guard turn(state_->turn);
    for (std::size_t i = 0; !extent.empty() && i < extent.height * extent.depth; ++i)
      fill_row(row_address(destination, extent, i), extent.width, value, value_bytes);
    ++state_->machine.memory_epoch;
  });
}

void InterpQueue::fill(Span destination, std::uint32_t value, unsigned value_bytes) {
  check_value(destination.size, value_bytes);
  check_span(destination, "destination");
  push([this, destination, value, value_bytes] {
    std::lock_guard turn(state_->turn);
    fill_row(destination.address, destination.size, value, value_bytes);
    ++state_->machine.memory_epoch;
  });
}

void InterpQueue::set_partition(const Partition* partition) {
  if (partition && partition->processors().ids != std::vector<unsigned>{0})
    base::fail(ErrorCode::invalid_argument, "the partition is of another device than the interpreter");
}

void InterpQueue::record(Event& event) {
  auto* own = dynamic_cast<InterpEvent*>(&event);
  if (!own) base::fail(ErrorCode::invalid_argument, "the event belongs to another device");
  push({}, [state = own->renew()](std::exception_ptr failure) { state->complete(std::move(failure)); });
}

void InterpQueue::wait(const Event& event) {
  if (const auto* own = dynamic_cast<const InterpEvent*>(&event)) {
    if (auto state = own->current()) push([state] { state->wait_done(); });
    return;
  }
  if (auto point = event.point()) push([point = std::move(point)] { wait_until_done(*point); });
}

void InterpQueue::call(std::function<void()> function) { push(std::move(function)); }

void InterpQueue::synchronize() {
  worker_.drain();
  const std::lock_guard lock(mutex_);
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

}  // namespace heddle::device::interp
