#include "device/cpu/runtime_calls.hpp"

#include <cstring>

#include "base/clock.hpp"
#include "device/cpu/block.hpp"
#include "device/cpu/fault.hpp"
#include "device/cpu/fault_handlers.hpp"
#include "device/cpu/meeting.hpp"
#include "device/cpu/sanitizer.hpp"
#include "device/cpu/services.hpp"
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

// The warp that made the call, with the place it was made from.
#define HEDDLE_ENTER(context)    \
  Warp& warp = warp_of(context); \
  warp.site = __builtin_return_address(0)

Fault& begin_fault(Warp& warp, FaultKind kind, int lane) {
  Fault& fault = warp.block->worker->fault();
  fault.kind = kind;
  fault.instruction = warp.site;
  fault.in_runtime = true;
  fault.lane = lane;
  fault.address_known = true;
  return fault;
}

[[noreturn]] void end_launch(Warp& warp) { warp.block->worker->abandon(warp); }

bool has_fiber(const Warp& warp) { return warp.block->warps != nullptr; }

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

// The block of code of direct shape changes without a call.
std::uint64_t block_of(const Warp& warp) {
  if (has_fiber(warp)) return warp.block->id;
  const auto& index = warp.block->context.block_id;
  const Dim3& grid = warp.block->job->config().grid;
  return index[0] + std::uint64_t{grid.x} * (index[1] + std::uint64_t{grid.y} * index[2]);
}

CheckedWarp checked(Warp& warp, LaunchChecker& checker) {
  Block& block = *warp.block;
  const LaunchJob& job = *block.job;
  BlockClock& clock = block.checked_clock();
  if (!has_fiber(warp)) {
    const std::uint64_t id = block_of(warp);
    if (clock.block() != id) checker.leave(clock);
    checker.enter(clock, id, job.block_threads(), job.shared_bytes());
  }
  return {
      clock, warp.context.first_thread, warp.context.line, job.code().width, block.context.shared, job.shared_bytes()};
}

std::uint32_t call_barrier(WarpContext* context, std::uint32_t id, std::uint32_t threads, std::uint32_t arriving,
                           BarrierKind kind, std::uint32_t value) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
  Block& block = *warp.block;
  block.worker->note_progress();
  if (LaunchChecker* const checker = block.job->checker())
    checker->arrive(checked(warp, *checker), id % BarrierSet::barriers, threads != 0, kind != BarrierKind::arrive);
  const auto outcome = block.barriers.arrive(id, context->first_thread, threads, arriving, kind, value);
  switch (outcome) {
    case BarrierSet::Outcome::complete: {
      block.worker->release(block, id);
      return block.barriers.result(id);
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

void call_spin(WarpContext* context) {
  HEDDLE_ENTER(context);
  if (!has_fiber(warp)) refuse_waiting(warp);
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
  if (!arrive_at_meeting(warp, members, value, values)) worker.wait_for_others(warp);
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
  const int taken = format_kernel_printf(text, format, source);
  if (const int error = worker.services().print(text.data(), text.size()); error != 0) {
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

// Whether an address that is in no allocation belongs to the thread all the same: the block's shared memory, the warp's
// local memory, the parameters.
bool is_private(const Warp& warp, std::uint64_t address, std::uint64_t size, bool is_write) {
  const Block& block = *warp.block;
  const auto within = [&](const void* base, std::uint64_t bytes) {
    const auto begin = reinterpret_cast<std::uint64_t>(base);
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  };
  const LaunchJob& job = *block.job;
  if (block.context.shared != nullptr && within(block.context.shared, job.shared_bytes())) return true;
  const Stack& stack = *warp.fiber.stack();
  if (within(stack.low(), stack.size())) return true;
  return !is_write && within(job.context().parameters, job.argument_bytes());
}

// All bytes from the lowest to the highest address of the lanes may be accessed, and all are aligned: what most
// accesses are, with one look at the allocations. False where it must be asked lane by lane.
bool is_plain(Warp& warp, const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t size, std::uint32_t access,
              bool windowed, std::uint64_t window) {
  if (mask == 0) return true;
  std::uint64_t low = ~std::uint64_t{0}, high = 0, bits = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[__builtin_ctz(rest)];
    low = std::min(low, address);
    high = std::max(high, address);
    bits |= address;
  }
  if (size == 0 || (size & (size - 1)) != 0 || (bits & (size - 1)) != 0) return false;
  if (windowed) return high <= window && size <= window - high;
  const std::uint64_t hull = high - low + size;
  if (hull < size) return false;
  const AllocationMap::Range* const range = warp.block->worker->allocations().find(low, hull);
  const bool is_write = (access & CheckedAccess::writes) != 0;
  if (range == nullptr || (range->constant && is_write)) return false;
  const Footprint* const footprint = warp.block->job->footprint();
  return !range->guarded || footprint == nullptr ||
         footprint->allows({low, hull, (access & CheckedAccess::reads) != 0, is_write});
}

void verify(Warp& warp, const std::uint64_t* addresses, const std::uint32_t* sizes, std::uint32_t mask,
            std::uint32_t whole, std::uint32_t space, std::uint32_t access, std::uint64_t window) {
  const bool is_write = (access & CheckedAccess::writes) != 0, is_read = (access & CheckedAccess::reads) != 0;
  const auto which = static_cast<ptx::Space>(space);
  const bool windowed = which == ptx::Space::shared || which == ptx::Space::local;
  if (which == ptx::Space::shared) window = warp.block->job->shared_bytes();
  if (sizes == nullptr && is_plain(warp, addresses, mask, whole, access, windowed, window)) return;
  const AllocationMap* allocations = windowed ? nullptr : &warp.block->worker->allocations();
  const Footprint* const footprint = warp.block->job->footprint();
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t address = addresses[lane];
    const std::uint32_t size = sizes == nullptr ? whole : std::min(whole, sizes[lane]);
    if (size == 0) continue;
    const bool misaligned = whole > 1 && address % whole != 0;
    bool read_only = false, outside_footprint = false;
    if (windowed) {
      if (!misaligned && address <= window && size <= window - address) continue;
    } else {
      const AllocationMap::Range* range = allocations->find(address, size);
      read_only = range != nullptr && range->constant && is_write;
      outside_footprint = range != nullptr && range->guarded && footprint != nullptr &&
                          !footprint->allows({address, size, is_read, is_write});
      if (!misaligned && range != nullptr && !read_only && !outside_footprint) continue;
      const bool may_be_private = which == ptx::Space::generic || which == ptx::Space::param;
      if (!misaligned && range == nullptr && may_be_private && is_private(warp, address, size, is_write)) continue;
    }
    Fault& fault = begin_fault(warp, FaultKind::bad_access, lane);
    fault.address = address;
    fault.size = misaligned ? whole : size;
    fault.space = space;
    fault.is_write = is_write;
    fault.is_read = is_read;
    fault.read_only = read_only;
    fault.misaligned = misaligned;
    fault.outside_footprint = outside_footprint;
    fault.window = window;
    end_launch(warp);
  }
}

void call_check(WarpContext* context, const std::uint64_t* addresses, const std::uint32_t* sizes, std::uint32_t mask,
                std::uint32_t whole, std::uint32_t space, std::uint32_t access, std::uint64_t window) {
  HEDDLE_ENTER(context);
  verify(warp, addresses, sizes, mask, whole, space, access, window);
}

void call_check_marked(WarpContext* context, const std::uint64_t* addresses, const std::uint32_t* sizes,
                       const void* values, std::uint32_t mask, std::uint32_t size, std::uint32_t space,
                       std::uint32_t access, std::uint64_t window) {
  HEDDLE_ENTER(context);
  LaunchChecker& checker = *warp.block->job->checker();
  if (checker.checks().memory) verify(warp, addresses, sizes, mask, size, space, access, window);
  checker.access(checked(warp, checker),
                 {addresses, sizes, static_cast<const std::uint8_t*>(values), mask, size, space, access},
                 warp.block->worker->allocations());
}

void call_order(WarpContext* context, const std::uint32_t* members, std::uint32_t mask, OrderKind kind) {
  HEDDLE_ENTER(context);
  LaunchChecker& checker = *warp.block->job->checker();
  checker.order(checked(warp, checker), members, mask, kind);
}

void call_check_members(WarpContext* context, const std::uint32_t* members, std::uint32_t mask) {
  HEDDLE_ENTER(context);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint32_t number = (context->first_thread + static_cast<std::uint32_t>(lane)) % BarrierSet::warp_threads;
    if ((members[lane] >> number & 1) != 0) continue;
    Fault& fault = begin_fault(warp, FaultKind::not_a_member, lane);
    fault.number = number;
    fault.window = members[lane];
    end_launch(warp);
  }
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
  table.vprintf = &call_vprintf;
  table.malloc = &call_malloc;
  table.free = &call_free;
  table.assert_fail = &call_assert_fail;
  table.trap = &call_trap;
  table.bad_jump = &call_bad_jump;
  table.check = &call_check;
  table.check_marked = &call_check_marked;
  table.order = &call_order;
  table.check_members = &call_check_members;
  table.mbarrier = &call_mbarrier;
  table.clock = &call_clock;
  table.global_timer = &call_global_timer;
  table.soft = soft;
  table.warps_per_processor = BarrierSet::most_warps;
  table.processors = processors;
  return table;
}

}  // namespace heddle::device::cpu
