#include "device/cpu/runtime_calls.hpp"

#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "device/cpu/block.hpp"
#include "device/cpu/check_calls.hpp"
#include "device/cpu/fault_handlers.hpp"
#include "device/cpu/matrix_calls.hpp"
#include "device/cpu/meeting.hpp"
#include "device/cpu/runtime_call.hpp"
#include "device/cpu/sanitizer.hpp"
#include "device/cpu/services.hpp"
#include "device/cpu/texture_calls.hpp"
#include "device/cpu/worker.hpp"
#include "device/footprint.hpp"
#include "device/kernel_printf.hpp"
#include "ptx/instruction.hpp"
#include "ptx/semantics/mbarrier.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

// All of these run on the fiber of a warp. A function that ends the launch leaves its frame without unwinding, so
// nothing here may own memory or a lock at that point: what must be remembered goes into the worker's Fault.

namespace heddle::device::cpu {
namespace {

// PTX lets nanosleep last at most a millisecond.
constexpr std::uint32_t longest_sleep_ns = 1'000'000;

[[noreturn]] void refuse_waiting(Warp& warp) {
  begin_fault(warp, FaultKind::no_fiber, -1);
  end_launch(warp);
}

// Copies a string of the kernel's, cut to what the record holds.
void copy_text(char (&to)[Fault::text_bytes], std::uint64_t from) {
  const char* text = reinterpret_cast<const char*>(from);
  std::size_t i = 0;
  if (text != nullptr)
    for (; i + 1 < Fault::text_bytes && text[i] != 0; ++i) to[i] = text[i];
  to[i] = 0;
}

std::uint32_t call_barrier(WarpContext* context, std::uint32_t id, std::uint32_t threads, std::uint32_t arriving,
                           BarrierKind kind, std::uint32_t value) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
  Block& block = *warp.block;
  block.worker->note_progress();
  if (LaunchChecker* const checker = block.job->checker()) {
    record(warp, [&] {
      const CheckedWarp now = checked(warp, *checker);
      checker->arrive(now, id % BarrierSet::barriers, threads != 0, kind != BarrierKind::arrive);
      if (!now.clock.is_aligned()) block.context.exempt_shared_bytes = 0;
    });
  }
  const auto outcome = block.barriers.arrive(id, context->first_thread, threads, arriving, kind, value);
  switch (outcome) {
    case BarrierSet::Outcome::complete: {
      const std::uint32_t result = block.barriers.result(id);
      block.worker->release(block, id);
      if (kind != BarrierKind::arrive) block.worker->go_on_in_order(warp);
      return result;
    }
    case BarrierSet::Outcome::wait:
      if (kind == BarrierKind::arrive) return 0;
      warp.waiting = Waiting::barrier;
      warp.barrier = static_cast<std::uint8_t>(id);
      block.waiting[id].set(warp.index);
      block.worker->wait_for_others(warp);
      return warp.result;
    case BarrierSet::Outcome::bad_number:
    case BarrierSet::Outcome::bad_count:
    case BarrierSet::Outcome::mixed: break;
  }
  Fault& fault = begin_fault(warp, FaultKind::bad_barrier, -1);
  fault.number = id;
  fault.size = threads;
  fault.window = static_cast<std::uint64_t>(outcome);
  end_launch(warp);
}

void call_lanes_exited(WarpContext* context, std::uint32_t count) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) return;  // nobody waits for them
  warp.exited += count;
  warp.block->worker->lanes_left(warp, count);
}

void call_spin(WarpContext* context, std::uint32_t progress) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
  if (progress != 0) warp.block->worker->note_progress();
  warp.block->worker->spin(warp);
}

void call_nanosleep(WarpContext* context, std::uint32_t nanoseconds, std::uint32_t progress) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
  if (progress != 0) warp.block->worker->note_progress();
  if (nanoseconds > longest_sleep_ns) nanoseconds = longest_sleep_ns;
  const base::Clock& clock = warp.block->worker->services().clock();
  const std::uint64_t until = clock.now_ns() + nanoseconds;
  do {
    warp.block->worker->spin(warp);
  } while (clock.now_ns() < until);
}

std::uint32_t call_warp_meet(WarpContext* context, std::uint32_t members, std::uint64_t value, std::uint64_t* values) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
  Worker& worker = *warp.block->worker;
  worker.note_progress();
  bool complete = false;
  if (!has_memory_for([&] { complete = arrive_at_meeting(warp, members, value, values); })) {
    begin_fault(warp, FaultKind::no_meeting, -1);
    end_launch(warp);
  }
  if (!complete) worker.wait_for_others(warp);
  return warp.result;
}

std::uint32_t call_active_mask(WarpContext* context) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
  Worker& worker = *warp.block->worker;
  if (!has_memory_for([&] { arrive_at_gathering(warp); })) {
    begin_fault(warp, FaultKind::no_meeting, -1);
    end_launch(warp);
  }
  worker.wait_for_others(warp);
  return warp.result;
}

// Every byte of the format and of strings is checked before it is read, where the launch has a footprint.
class PrintfSource final : public KernelPrintfSource {
 public:
  PrintfSource(Warp& warp, std::uint32_t lane, std::uint64_t arguments)
      : warp_(warp), footprint_(warp.block->job->footprint()), lane_(lane), arguments_(arguments) {}
  char character(std::uint64_t address) override {
    if (footprint_ != nullptr) check(address);
    return *reinterpret_cast<const char*>(address);
  }
  std::uint64_t argument(std::uint64_t offset, unsigned bytes) override {
    std::uint64_t value = 0;
    if (arguments_ != 0) std::memcpy(&value, reinterpret_cast<const void*>(arguments_ + offset), bytes);
    return value;
  }

 private:
  void check(std::uint64_t address) {
    const AllocationMap::Range* range = warp_.block->worker->allocations().find(address, 1);
    if (range == nullptr || !range->guarded || footprint_->allows({address, 1, true, false})) return;
    Fault& fault = begin_fault(warp_, FaultKind::bad_access, static_cast<int>(lane_));
    fault.address = address;
    fault.size = 1;
    fault.space = static_cast<std::uint32_t>(ptx::Space::generic);
    fault.is_read = fault.outside_footprint = true;
    end_launch(warp_);
  }

  Warp& warp_;
  const Footprint* const footprint_;
  const std::uint32_t lane_;
  const std::uint64_t arguments_;
};

std::int32_t call_vprintf(WarpContext* context, std::uint32_t lane, std::uint64_t format, std::uint64_t arguments) {
  HEDDLE_ENTER(context);
  Worker& worker = *warp.block->worker;
  std::string& text = worker.scratch();
  text.clear();
  PrintfSource source(warp, lane, arguments);
  int taken = 0, error = ENOMEM;
  if (has_memory_for([&] { taken = format_kernel_printf(text, format, source); }))
    error = worker.services().print(text.data(), text.size());
  if (error != 0) {
    begin_fault(warp, FaultKind::output, static_cast<int>(lane)).number = static_cast<std::uint32_t>(error);
    end_launch(warp);
  }
  return taken;
}

std::uint64_t call_malloc(WarpContext* context, std::uint64_t bytes) {
  HEDDLE_ENTER(context);
  if (bytes == 0) return 0;
  return warp.block->worker->services().allocator->allocate_heap(bytes, warp.block->job->command(), context->line);
}

void call_free(WarpContext* context, std::uint64_t address) {
  HEDDLE_ENTER(context);
  if (address == 0) return;
  if (warp.block->worker->services().allocator->release(address, AllocationKind::heap)) return;
  begin_fault(warp, FaultKind::bad_free, -1).address = address;
  end_launch(warp);
}

void call_assert_fail(WarpContext* context, std::uint32_t lane, std::uint64_t message, std::uint64_t file,
                      std::uint32_t line, std::uint64_t function) {
  HEDDLE_ENTER(context);
  Fault& fault = warp.block->worker->fault();
  copy_text(fault.text, message);
  copy_text(fault.file, file);
  copy_text(fault.function, function);
  fault.number = line;
  begin_fault(warp, FaultKind::assertion, static_cast<int>(lane));
  end_launch(warp);
}

void call_trap(WarpContext* context, std::uint32_t lane) {
  HEDDLE_ENTER(context);
  begin_fault(warp, FaultKind::trap, static_cast<int>(lane));
  end_launch(warp);
}

void call_bad_jump(WarpContext* context, std::uint32_t lane, std::uint64_t target) {
  HEDDLE_ENTER(context);
  begin_fault(warp, FaultKind::bad_jump, static_cast<int>(lane)).address = target;
  end_launch(warp);
}

void call_mbarrier(WarpContext* context, std::uint64_t* const* places, std::uint64_t* values, std::uint32_t mask,
                   std::uint32_t operation) {
  HEDDLE_ENTER(context);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const auto result = ptx::semantics::mbarrier(static_cast<ptx::semantics::MbarrierOperation>(operation),
                                                 *places[lane], values[lane]);
    if (result.misuse != ptx::semantics::MbarrierMisuse::none) {
      begin_fault(warp, FaultKind::bad_mbarrier, lane).number = static_cast<std::uint32_t>(result.misuse);
      end_launch(warp);
    }
    *places[lane] = result.word;
    values[lane] = result.value;
  }
}

std::uint64_t call_global_timer() { return worker_of_thread()->services().now_ns(); }

std::uint64_t call_clock() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return call_global_timer();
#endif
}

}  // namespace

RuntimeTable make_runtime_table(void (*const* soft)(), unsigned processors) {
  RuntimeTable table{};
  table.barrier = &call_barrier;
  table.lanes_exited = &call_lanes_exited;
  table.spin = &call_spin;
  table.nanosleep = &call_nanosleep;
  table.warp_meet = &call_warp_meet;
  table.active_mask = &call_active_mask;
  table.vprintf = &call_vprintf;
  table.malloc = &call_malloc;
  table.free = &call_free;
  table.assert_fail = &call_assert_fail;
  table.trap = &call_trap;
  table.bad_jump = &call_bad_jump;
  add_check_calls(table);
  add_texture_calls(table);
  add_matrix_calls(table);
  table.mbarrier = &call_mbarrier;
  table.clock = &call_clock;
  table.global_timer = &call_global_timer;
  table.soft = soft;
  table.warps_per_processor = BarrierSet::most_warps;
  table.processors = processors;
  return table;
}

}  // namespace heddle::device::cpu
