#include "device/cuda/queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <typeinfo>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "device/cuda/driver_graph.hpp"
#include "device/cuda/launch_grid.hpp"
#include "device/cuda/module.hpp"
#include "device/launch_check.hpp"
#include "ptx/rewrite/block_ranges_plan.hpp"

namespace heddle::device::cuda {

using driver::Result;
using Kind = base::TraceEvent::Kind;

namespace {

std::uint64_t next_queue_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

// The driver counts the other way round: lower numbers run first.
int stream_priority(const DeviceState& state, int priority) {
  int lowest = 0, highest = 0;
  state.check(state.driver().context_priorities(&lowest, &highest), "asking for the priorities of streams");
  return std::clamp(-priority, highest, lowest);
}

// The class has no others below it: this takes less than dynamic_cast.
template <class Own, class Any>
Own* as_own(Any& any) {
  return typeid(any) == typeid(Own) ? static_cast<Own*>(&any) : nullptr;
}

}  // namespace

CudaQueue::CudaQueue(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<PartitionTable> partitions,
                     std::shared_ptr<PoolTable> pools, std::shared_ptr<ProgressFlagTable> progress_flags,
                     Tracer* tracer, const QueueOptions& options)
    : device_(device),
      state_(std::move(state)),
      partitions_(std::move(partitions)),
      pools_(std::move(pools)),
      progress_flags_(std::move(progress_flags)),
      tracer_(tracer),
      id_(next_queue_id()),
      processors_(state_->info().processors),
      chain_(state_) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  priority_ = stream_priority(*state_, options.priority);
  const CudaPartition* partition = own_partition(options.partition);
  if (partition) processors_ = static_cast<unsigned>(partition->processors().ids.size());
  context_ = partition ? partition->context() : nullptr;
  stream_ = stream_of(context_);
}

const CudaPartition* CudaQueue::own_partition(const Partition* partition) const {
  if (!partition) return nullptr;
  const auto* own = dynamic_cast<const CudaPartition*>(partition);
  if (!own || own->table() != partitions_.get())
    base::fail(ErrorCode::invalid_argument, "{}: the partition belongs to another device", state_->info().id);
  return own;
}

driver::Stream CudaQueue::stream_of(driver::GreenContext context, unsigned number) {
  driver::Stream& stream = streams_[{context, number}];
  if (stream) return stream;
  const Driver& cuda = state_->driver();
  if (context)
    state_->check(cuda.green_stream_create(&stream, context, driver::stream_non_blocking, priority_),
                  "making a stream of a partition");
  else
    state_->check(cuda.stream_create(&stream, driver::stream_non_blocking, priority_), "making a stream");
  return stream;
}

// What is under way is seen to its end.
CudaQueue::~CudaQueue() {
  if (state_->lost()) return;
  const DeviceState::Current current(*state_);
  if (held_) held_->drain();
  for (const auto& [context, stream] : streams_) state_->driver().stream_synchronize(stream);
  for (const auto& [context, stream] : streams_) state_->driver().stream_destroy(stream);
}

std::string CudaQueue::suspects() const {
  std::string names;
  const std::lock_guard lock(names_mutex_);
  const std::uint64_t first = launches_ > recent_.size() ? launches_ - recent_.size() : 0;
  for (std::uint64_t i = first; i < launches_; ++i) {
    const std::string& name = recent_[i % recent_.size()];
    if (names.find("'" + name + "'") == std::string::npos) names += (names.empty() ? "'" : ", '") + name + "'";
  }
  if (names.empty()) return "work of another queue";
  return (launches_ == 1 ? "kernel " : "one of the queue's last kernels ") + names;
}

void CudaQueue::check(Result result, std::string_view what) const {
  if (result == driver::success) return;
  if (is_sticky(result)) {
    state_->check_lost();
    state_->lose(result, suspects());
  }
  state_->check(result, what);
}

CudaFunction& CudaQueue::own_function(Function& function) const {
  auto* const kernel = as_own<CudaFunction>(function);
  if (!kernel || &kernel->module().state() != state_.get())
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded on another device", function.ptx().name);
  state_->check_lost();
  return *kernel;
}

void CudaQueue::launch(Function& function, const LaunchConfig& config, BlockRange range,
                       std::span<const std::byte> arguments) {
  CudaFunction* kernel = &own_function(function);
  check_launch(state_->info(), *kernel, config, range, arguments.size());
  const DeviceState::Current current(*state_);
  const bool whole = range.begin == 0 && range.end == config.grid.count();
  if (config.cooperative && !range.empty()) check_cooperative(*kernel, config, whole, range);
  if (range.empty()) return;
  if (!whole) return put_parts(*kernel, config, range, range.size(), arguments);
  if (!held_back()) return start(*kernel, config, arguments);
  held_->hold_back(
      [this, kernel, config, task = Tracer::task(tracer_), bytes = std::vector(arguments.begin(), arguments.end())] {
        const Tracer::For held(task);
        start(*kernel, config, bytes);
      });
}

void CudaQueue::start(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments) {
  const Tracer::Scope traced(tracer_, Kind::launch, id_, stream_, kernel.ptx().name, 0, {0, config.grid.count()},
                             config);
  chain_.end();
  if (config.cooperative)
    launch_cooperative(kernel, config, arguments);
  else
    launch_whole(kernel, config, arguments);
  remember(kernel.ptx().name);
}

void CudaQueue::remember(const std::string& kernel) {
  const std::lock_guard lock(names_mutex_);
  recent_[launches_++ % recent_.size()] = kernel;
}

std::uint64_t CudaQueue::resident_blocks(const CudaFunction& function, const DriverFunction& code,
                                         const LaunchConfig& config) const {
  return code.resident_blocks(function.module().state(), config.block.count(), config.dynamic_shared_bytes) *
         processors_;
}

std::shared_ptr<StoppableLaunch> CudaQueue::launch_stoppable(Function& function, const LaunchConfig& config,
                                                             BlockRange range, std::span<const std::byte> arguments,
                                                             unsigned residents) {
  CudaFunction* kernel = &own_function(function);
  check_stoppable(state_->info(), *kernel, config, range, arguments.size());
  if (!kernel->module().stoppable())
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': its module was loaded without LoadOptions::stoppable, which {} needs for launches that "
               "can be stopped",
               function.ptx().name, state_->info().id);
  const DeviceState::Current current(*state_);
  const ptx::RangeEntry* const entry = kernel->range(ptx::RangeForm::pool).entry;
  if (entry->warps_are_rows && config.block.count() > config.block.x && config.block.x % 32 != 0)
    base::fail(
        ErrorCode::unsupported,
        "kernel '{}': on {} it can be stopped only with blocks of one dimension or of a width that is a multiple "
        "of 32, as threads of a warp that end apart must be neighbours; this launch's blocks are {} wide",
        function.ptx().name, state_->info().id, config.block.x);
  while (!stoppable_.empty() && stoppable_.front().end->done()) stoppable_.pop_front();
  if (range.empty()) return std::make_shared<StopFlag>(range);
  auto control = pools_->take(range);
  auto end = std::make_shared<CudaPoint>(state_, false);
  stoppable_.push_back({control, end});
  auto command = [this, kernel, config, range, residents, control, end, task = Tracer::task(tracer_),
                  bytes = std::vector(arguments.begin(), arguments.end())] {
    const Tracer::For held(task);
    const Tracer::Scope traced(tracer_, Kind::launch, id_, stream_, kernel->ptx().name, 0, range, config);
    chain_.end();
    launch_pool(*kernel, config, range, bytes, residents, *control);
    remember(kernel->ptx().name);
    check(state_->driver().event_record(end->handle(), stream_), "recording an event");
    end->submit();
  };
  if (!held_back()) {
    command();
  } else {
    held_->hold_back(std::move(command), [end](std::exception_ptr failure) { end->fail(std::move(failure)); });
  }
  return control;
}

void CudaQueue::launch_pool(CudaFunction& function, const LaunchConfig& config, BlockRange range,
                            std::span<const std::byte> arguments, unsigned residents, const PoolControl& control) {
  const RangeCode range_code = function.range(ptx::RangeForm::pool);
  const ptx::RangeEntry* const entry = range_code.entry;
  DriverFunction* const code = range_code.function;
  code->allow_shared(*state_, config.dynamic_shared_bytes);
  std::uint64_t workers = residents != 0 ? residents : resident_blocks(function, *code, config);
  workers = std::clamp<std::uint64_t>(workers, 1, range.size());
  const ptx::PoolLaunch pool{static_cast<std::uint32_t>(workers), control.counter(), control.control()};
  std::vector<std::byte> bytes(entry->parameter_bytes);
  std::copy(arguments.begin(), arguments.end(), bytes.begin());
  const Driver& cuda = state_->driver();
  const std::string what = "launching kernel '" + function.ptx().name + "' so that it can be stopped";
  check(cuda.fill32_async(control.counter(), static_cast<std::uint32_t>(range.begin), 1, stream_),
        what + ", setting its counter");
  const GridArguments given(function, bytes, entry);
  for (const ptx::RangeLaunch& part : ptx::plan_range(*entry, config.grid, range, {}, pool)) {
    std::copy(part.hidden.begin(), part.hidden.end(), bytes.begin() + entry->hidden_offset);
    check(start_grid(cuda, code->handle(), part.grid, config, stream_, given), what);
  }
  check(cuda.copy_to_host_async(control.result(), control.counter(), sizeof(std::uint32_t), stream_),
        what + ", fetching its counter");
}

void CudaQueue::check_cooperative(CudaFunction& function, const LaunchConfig& config, bool whole,
                                  BlockRange range) const {
  if (!whole)
    base::fail(ErrorCode::unsupported,
               "kernel '{}': a cooperative launch runs all its blocks together; {} cannot run blocks [{}, {}) of {}",
               function.ptx().name, state_->info().id, range.begin, range.end, config.grid.count());
  function.whole().allow_shared(*state_, config.dynamic_shared_bytes);
  const std::uint64_t resident = resident_blocks(function, function.whole(), config);
  if (config.grid.count() > resident)
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': a cooperative launch of {} blocks of {} threads; {} such blocks fit on {} at once",
               function.ptx().name, config.grid.count(), config.block.count(), resident, state_->info().id);
}

void CudaQueue::launch_whole(CudaFunction& function, const LaunchConfig& config, std::span<const std::byte> arguments) {
  function.whole().allow_shared(*state_, config.dynamic_shared_bytes);
  const Result result = start_grid(state_->driver(), function.whole().handle(), config.grid, config, stream_,
                                   GridArguments(function, arguments));
  if (result != driver::success) check(result, "launching kernel '" + function.ptx().name + "'");
}

void CudaQueue::launch_cooperative(CudaFunction& function, const LaunchConfig& config,
                                   std::span<const std::byte> arguments) {
  std::vector<void*> pointers = pointers_into(arguments, function.parameters());
  const Result result = state_->driver().launch_cooperative(
      function.whole().handle(), config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y,
      config.block.z, config.dynamic_shared_bytes, stream_, pointers.empty() ? nullptr : pointers.data());
  if (result != driver::success) check(result, "launching kernel '" + function.ptx().name + "' cooperatively");
}

void CudaQueue::set_partition(const Partition* partition) {
  const CudaPartition* own = own_partition(partition);
  state_->check_lost();
  const DeviceState::Current current(*state_);
  put([this, context = own ? own->context() : nullptr,
       processors = own ? static_cast<unsigned>(own->processors().ids.size()) : state_->info().processors] {
    const driver::Stream next = stream_of(context);
    processors_ = processors;
    context_ = context;
    if (next == stream_) return;
    const CudaPoint before(state_, false);
    check(state_->driver().event_record(before.handle(), stream_), "recording an event");
    check(state_->driver().stream_wait_event(next, before.handle(), 0), "waiting for an event");
    stream_ = next;
  });
}

void CudaQueue::launch_graph(DriverGraph& graph) {
  if (graph.state() != state_.get())
    base::fail(ErrorCode::invalid_argument, "{}: the graph belongs to another device", state_->info().id);
  state_->check_lost();
  const DeviceState::Current current(*state_);
  put([this, &graph, kept = held_back() || graph.has_kept() ? graph.keep() : nullptr] {
    check(graph.start(stream_, kept.get()), "launching a graph");
    for (const std::string& kernel : graph.kernels()) remember(kernel);
  });
}

void CudaQueue::record(Event& event) {
  auto* const own = as_own<CudaEvent>(event);
  if (!own || own->state() != state_.get())
    base::fail(ErrorCode::invalid_argument, "{}: the event belongs to another device", state_->info().id);
  state_->check_lost();
  const DeviceState::Current current(*state_);
  if (own->timed()) state_->keep_time();
  auto point = std::make_shared<CudaPoint>(state_, own->timed(), this);
  own->set(point);
  if (!held_back()) return put_record(*point);
  held_->hold_back([this, point] { put_record(*point); },
                   [point](std::exception_ptr failure) { point->fail(std::move(failure)); });
}

void CudaQueue::wait(const Event& event) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  if (const auto* const own = as_own<const CudaEvent>(event)) {
    const auto point = own->current();
    if (!point) return;
    // A record that is held back is waited for like one of another device.
    if (!point->submitted()) return held().wait(point);
    put([this, point] {
      check(state_->driver().stream_wait_event(stream_, point->handle(), 0), "waiting for an event");
    });
    return;
  }
  if (auto point = event.point())
    if (!point->done()) held().wait(std::move(point));
}

void CudaQueue::call(std::function<void()> function) {
  state_->check_lost();
  held().call([this, task = Tracer::task(tracer_), function = std::move(function)] {
    const Tracer::For held(task);
    const Tracer::Scope traced(tracer_, Kind::call, id_, stream_);
    function();
  });
}

void CudaQueue::call_with_stream(std::function<void(void* stream)> function) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  put([this, function = std::move(function)] {
    const Tracer::Scope traced(tracer_, Kind::call, id_, stream_);
    const DeviceState::Foreign foreign(*state_);
    function(stream_);
  });
}

HeldCommands& CudaQueue::held() {
  const auto mark = [this] {
    auto point = std::make_shared<CudaPoint>(state_, false, this);
    put_record(*point);
    return point;
  };
  const auto synchronize = [this] {
    chain_.end();
    check(state_->driver().stream_synchronize(stream_), "waiting for a queue");
  };
  if (!held_) held_ = std::make_shared<HeldCommands>(state_, HeldCommands::Stream{mark, synchronize});
  return *held_;
}

void CudaQueue::put_record(CudaPoint& point) {
  chain_.end();
  check(state_->driver().event_record(point.handle(), stream_), "recording an event");
  point.submit();
}

bool CudaQueue::idle() {
  if (held_back() || state_->lost()) return false;
  const DeviceState::Current current(*state_);
  chain_.end();  // ranges in other streams count too
  return state_->driver().stream_query(stream_) == driver::success;
}

void CudaQueue::synchronize() {
  if (held_) {
    held_->drain();
    if (const std::exception_ptr failure = held_->take_failure()) std::rethrow_exception(failure);
  }
  state_->check_lost();
  const DeviceState::Current current(*state_);
  chain_.end();
  check(state_->driver().stream_synchronize(stream_), "waiting for a queue");
  const std::lock_guard lock(names_mutex_);
  launches_ = 0;
}

}  // namespace heddle::device::cuda
