#include "device/cpu/check_calls.hpp"

#include <algorithm>
#include <bit>

#include "device/cpu/runtime_call.hpp"
#include "device/cpu/services.hpp"
#include "device/footprint.hpp"
#include "ptx/instruction.hpp"

namespace heddle::device::cpu {
namespace {

// The block of code of direct shape changes without a call.
std::uint64_t block_of(const Warp& warp) {
  if (has_fiber(warp)) return warp.block->id;
  const auto& index = warp.block->context.block_id;
  const Dim3& grid = warp.block->job->config().grid;
  return index[0] + std::uint64_t{grid.x} * (index[1] + std::uint64_t{grid.y} * index[2]);
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
  if (block.frames.data() != nullptr && within(block.frames.data(), block.frames.size())) return true;
  return !is_write && within(job.context().parameters, job.argument_bytes());
}

// Where generated code looks for the range, and for accesses of how many bytes.
struct Site {
  std::uint32_t number = KnownRanges::no_site, span = 0;
};

// Makes the table that of what is allocated now: forgets what may have been released.
void renew(KnownRanges& known) {
  const std::uint64_t now = __atomic_load_n(known.releases, __ATOMIC_ACQUIRE);
  if (now == known.seen) return;
  for (KnownRange& range : known.sites) range.starts = 0;
  for (KnownRange& range : known.exempt) range = {};
  known.seen = now;
}

// Of a part of an allocation, what accesses of `size` bytes find whose lanes are `span` bytes apart in all.
KnownRange known_range(std::uint64_t begin, std::uint64_t end, std::uint32_t size, std::uint32_t span) {
  begin = (begin + size - 1) & ~std::uint64_t{size - 1};
  const bool has_room = begin < end && end - begin >= span;
  return {begin, has_room ? (end - begin - span) / size + 1 : 0};
}

// Notes for the code at `site` what it may access around `address`, of the allocation `range`.
void note_range(Warp& warp, const Site& site, const AllocationMap::Range& range, std::uint64_t address,
                std::uint32_t size, bool is_read, bool is_write) {
  KnownRanges* const known = warp.block->context.known_ranges;
  if (known == nullptr || site.number >= KnownRanges::most_sites) return;
  std::uint64_t begin = range.begin, end = range.end;
  const Footprint* const footprint = warp.block->job->footprint();
  if (range.guarded && footprint != nullptr) {
    const Footprint::Range allowed = footprint->around({address, size, is_read, is_write});
    begin = std::max(begin, allowed.begin);
    end = std::min(end, allowed.end);
  }
  known->sites[site.number] = known_range(begin, end, size, site.span);
}

// After an access that was recorded: notes where the code at its place need not ask again.
void note_exempt(Warp& warp, LaunchChecker& checker, std::uint64_t packed, std::uint64_t address, std::uint32_t size,
                 std::uint32_t space, std::uint32_t access) {
  // Generated code sees a change of what is released; a range that was refused is not asked for again until then.
  constexpr KnownRange refused{1, 0};
  Block& block = *warp.block;
  const AllocationMap& allocations = block.worker->allocations();
  if (checker.take_stray()) block.job->services().allocator->forget_known_ranges();
  const Site site{static_cast<std::uint32_t>(packed), static_cast<std::uint32_t>(packed >> 32)};
  if (site.number >= KnownRanges::most_sites || !std::has_single_bit(size)) return;
  if (static_cast<ptx::Space>(space) == ptx::Space::shared) {
    block.context.exempt_shared_bytes = checker.exempt_shared(block.checked_clock(), block.job->shared_bytes());
    return;
  }
  KnownRanges& known = *block.context.known_ranges;
  renew(known);
  KnownRange& range = known.exempt[site.number];
  if (range.begin == refused.begin) return;
  range = refused;
  const AllocationMap::Range* const found = allocations.find(address, size);
  if (found == nullptr) return;
  LaunchChecker::Part part = checker.exempt(*found, allocations);
  if (const Footprint* const footprint = block.job->footprint(); found->guarded && footprint != nullptr) {
    const bool reads = (access & CheckedAccess::reads) != 0, writes = (access & CheckedAccess::writes) != 0;
    const Footprint::Range allowed = footprint->around({address, size, reads, writes});
    part = {std::max(part.begin, allowed.begin), std::min(part.end, allowed.end)};
  }
  const KnownRange made = known_range(part.begin, part.end, size, site.span);
  if (made.starts != 0) range = made;
}

// All bytes from the lowest to the highest address of the lanes may be accessed, and all are aligned: what most
// accesses are, with one look at the allocations. False where it must be asked lane by lane.
bool is_plain(Warp& warp, const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t size, std::uint32_t access,
              bool windowed, std::uint64_t window, const Site& site) {
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
  // What was released after this look makes the table out of date at the next access.
  if (KnownRanges* const known = warp.block->context.known_ranges) renew(*known);
  const AllocationMap::Range* const range = warp.block->worker->allocations().find(low, hull);
  const bool is_read = (access & CheckedAccess::reads) != 0, is_write = (access & CheckedAccess::writes) != 0;
  if (range == nullptr || (range->constant && is_write)) return false;
  const Footprint* const footprint = warp.block->job->footprint();
  if (range->guarded && footprint != nullptr && !footprint->allows({low, hull, is_read, is_write})) return false;
  note_range(warp, site, *range, low, size, is_read, is_write);
  return true;
}

void verify(Warp& warp, const std::uint64_t* addresses, const std::uint32_t* sizes, std::uint32_t mask,
            std::uint32_t whole, std::uint32_t space, std::uint32_t access, std::uint64_t window, const Site& site) {
  const bool is_write = (access & CheckedAccess::writes) != 0, is_read = (access & CheckedAccess::reads) != 0;
  const auto which = static_cast<ptx::Space>(space);
  const bool windowed = which == ptx::Space::shared || which == ptx::Space::local;
  if (which == ptx::Space::shared) window = warp.block->job->shared_bytes();
  if (sizes == nullptr && is_plain(warp, addresses, mask, whole, access, windowed, window, site)) return;
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
                std::uint32_t whole, std::uint32_t space, std::uint32_t access, std::uint64_t window,
                std::uint32_t site, std::uint32_t span) {
  Warp& warp = warp_of(context);
  warp.site = nullptr;  // the call comes through a function of the code's own; context->line has the place
  record(warp, [&] { verify(warp, addresses, sizes, mask, whole, space, access, window, {site, span}); });
}

void call_check_marked(WarpContext* context, const std::uint64_t* addresses, const std::uint32_t* sizes,
                       const void* values, std::uint32_t mask, std::uint32_t size, std::uint32_t space,
                       std::uint32_t access, std::uint64_t site) {
  HEDDLE_ENTER(context);
  LaunchChecker& checker = *warp.block->job->checker();
  record(warp, [&] {
    checker.access(checked(warp, checker),
                   {addresses, sizes, static_cast<const std::uint8_t*>(values), mask, size, space, access},
                   warp.block->worker->allocations());
    if (mask != 0) note_exempt(warp, checker, site, addresses[__builtin_ctz(mask)], size, space, access);
  });
}

void call_check_run(WarpContext* context, std::uint64_t address, const void* values, std::uint32_t mask,
                    std::uint32_t size, std::uint32_t space, std::uint32_t access, std::uint64_t step,
                    std::uint64_t site) {
  HEDDLE_ENTER(context);
  LaunchChecker& checker = *warp.block->job->checker();
  record(warp, [&] {
    checker.access_run(
        checked(warp, checker),
        {address, static_cast<std::int64_t>(step), static_cast<const std::uint8_t*>(values), mask, size, space, access},
        warp.block->worker->allocations());
    if (mask != 0) note_exempt(warp, checker, site, address + step * __builtin_ctz(mask), size, space, access);
  });
}

void call_order(WarpContext* context, const std::uint32_t* members, std::uint32_t mask, OrderKind kind) {
  HEDDLE_ENTER(context);
  LaunchChecker& checker = *warp.block->job->checker();
  record(warp, [&] { checker.order(checked(warp, checker), members, mask, kind); });
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

}  // namespace

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

void add_check_calls(RuntimeTable& table) {
  table.check = &call_check;
  table.check_marked = &call_check_marked;
  table.check_run = &call_check_run;
  table.order = &call_order;
  table.check_members = &call_check_members;
}

}  // namespace heddle::device::cpu
