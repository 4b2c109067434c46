#include "device/cpu/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "base/caller_place.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/memory_limit.hpp"
#include "device/cpu/stall.hpp"

namespace heddle::device::cpu {
namespace {

constexpr std::size_t huge_page = 2 << 20;
// From here on an allocation has a mapping of its own, with a guard on either side.
constexpr std::size_t large_bytes = 256 * 1024;
// Guards cost mappings, of which a process has 65530 by default; those of allocations beyond this number can be
// written.
constexpr std::size_t guarded_limit = 4096;

// Bytes an allocation takes in an arena. Behind each one stays a gap, an eighth of it and a widest access at least:
// checked accesses that run over the end must not land in the next allocation and pass for right.
std::size_t rounded_size(std::size_t bytes) {
  constexpr std::size_t widest_access = 16;
  return round_up(bytes + std::max(widest_access, bytes / 8), Allocator::alignment);
}

std::uint64_t to_address(void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

const char* describe(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::buffer: return "allocation";
    case AllocationKind::variable: return "module variable";
    case AllocationKind::constant: return "constant variable";
    case AllocationKind::heap: return "block of the device heap";
    case AllocationKind::host: return "host memory";
  }
  return "";
}

std::string made_at(const Allocation& a) { return a.made_at.empty() ? a.made_by.text() : a.made_at; }

std::string plain_name(const Allocation& a) {
  const std::string size = fmt::format("{} byte{} at {:#x}", a.size, a.size == 1 ? "" : "s", a.address);
  if (a.name.empty()) return fmt::format("{} of {}", describe(a.kind), size);
  // Memory of the host with a name is a variable's, see name_host().
  const AllocationKind kind = a.kind == AllocationKind::host ? AllocationKind::variable : a.kind;
  return fmt::format("{} '{}' of {}", describe(kind), a.name, size);
}

std::uint64_t distance(const Allocation& a, std::uint64_t address) {
  if (address < a.address) return a.address - address;
  const std::uint64_t end = a.address + a.size;
  return address < end ? 0 : address - end + 1;
}

}  // namespace

const AllocationMap::Range* AllocationMap::find(std::uint64_t address, std::uint64_t size) const {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                [](std::uint64_t a, const Range& range) { return a < range.begin; });
  if (after == ranges.begin()) return nullptr;
  const Range& range = *--after;
  return address < range.end && size <= range.end - address ? &range : nullptr;
}

Allocator::Allocator(std::uint64_t limit, std::uint64_t heap_limit, bool keep_freed, const Checks& checks)
    : limit_(limit), heap_limit_(heap_limit), keep_freed_(keep_freed), checks_(checks) {}

Allocator::~Allocator() {
  for (const auto* all : {&held_, &kept_})
    for (const auto& [address, held] : *all)
      if (held.mapping != nullptr) ::munmap(held.mapping, held.mapped);
}

Allocator::Held Allocator::map_large(std::size_t bytes) {
  const bool huge = bytes >= 2 * huge_page;
  const bool guarded = large_count_ < guarded_limit;
  const std::size_t data = round_up(bytes, page_bytes);
  const std::size_t slack = huge ? huge_page : 0;
  Held held;
  held.mapped = data + 2 * guard_bytes + slack;
  if (held.mapped < bytes) return {};  // overflow
  held.mapping = ::mmap(nullptr, held.mapped, guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (held.mapping == MAP_FAILED) return {};
  std::uint64_t start = to_address(held.mapping) + guard_bytes;
  if (huge) start = round_up(start, huge_page);
  if (guarded && ::mprotect(reinterpret_cast<void*>(start), data, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(held.mapping, held.mapped);
    return {};
  }
  if (huge) ::madvise(reinterpret_cast<void*>(start), data, MADV_HUGEPAGE);
  held.allocation.address = start;
  ++large_count_;
  return held;
}

Allocator::Held Allocator::place(std::size_t bytes) {
  if (bytes >= large_bytes) return map_large(bytes);
  Held held;
  held.piece = arenas_.take(rounded_size(bytes));
  if (!held.piece.empty()) held.allocation.address = held.piece.address();
  return held;
}

void Allocator::hold(Held held) {
  const std::uint64_t address = held.allocation.address;
  const AllocationKind kind = held.allocation.kind;
  try {
    held.allocation.shadow = make_shadow(held.allocation);
    held_.try_emplace(address, std::move(held));  // moves it only when there is memory for it
  } catch (...) {
    if (kind != AllocationKind::host) return_to_free(held);
    throw;
  }
  version_.fetch_add(1, std::memory_order_release);
}

std::string Allocator::holders() const {
  std::vector<const Allocation*> all;
  std::uint64_t by_kind[5] = {};
  for (const auto& [address, held] : held_) {
    if (held.allocation.kind == AllocationKind::host) continue;
    all.push_back(&held.allocation);
    by_kind[static_cast<unsigned>(held.allocation.kind)] += held.allocation.size;
  }
  std::string text = fmt::format("{} are held by {} allocations", base::format_bytes(used_), all.size());
  const std::uint64_t variables = by_kind[1] + by_kind[2];
  if (variables != 0) text += fmt::format(", of which {} module variables", base::format_bytes(variables));
  if (by_kind[3] != 0) text += fmt::format(", {} blocks of kernels' malloc", base::format_bytes(by_kind[3]));
  constexpr std::size_t named = 3;
  const auto top = all.begin() + static_cast<std::ptrdiff_t>(std::min(named, all.size()));
  std::partial_sort(all.begin(), top, all.end(), [](auto* a, auto* b) { return a->size > b->size; });
  for (auto it = all.begin(); it != top; ++it)
    text += fmt::format("{}{}", it == all.begin() ? "; the largest: " : ", ", base::format_bytes((*it)->size));
  return text;
}

std::uint64_t Allocator::allocate(std::size_t bytes, AllocationKind kind, std::string name) {
  const std::lock_guard guard(mutex_);
  Held held;
  const bool fits = bytes <= limit_ && used_ <= limit_ - bytes;
  if (fits) held = place(bytes);
  if (held.allocation.address == 0) {
    base::fail(ErrorCode::out_of_memory, "cpu: cannot allocate {}{}: of {} of memory, {}{}",
               bytes == 0 ? "an empty array" : base::format_bytes(bytes),
               name.empty() ? "" : fmt::format(" for the variable '{}'", name), base::format_bytes(limit_), holders(),
               fits ? "; the system gives the process no more" + base::memory_limit_note() : "");
  }
  const std::uint64_t address = held.allocation.address;
  if (keep_freed_ && kind == AllocationKind::buffer) held.allocation.made_by = base::caller_place();
  held.allocation.size = bytes;
  held.allocation.kind = kind;
  held.allocation.name = std::move(name);
  hold(std::move(held));
  used_ += bytes;
  if (kind == AllocationKind::heap) heap_used_ += bytes;
  freed_heap_.erase(address);
  return address;
}

std::uint64_t Allocator::allocate_heap(std::size_t bytes, std::uint64_t launch, std::uint32_t line) noexcept {
  {
    const std::lock_guard guard(mutex_);
    if (bytes > heap_limit_ || heap_used_ > heap_limit_ - bytes) return 0;
  }
  try {
    const std::uint64_t address = allocate(bytes, AllocationKind::heap);
    const std::lock_guard guard(mutex_);
    Allocation& made = held_.at(address).allocation;
    made.launch = launch;
    made.line = line;
    return address;
  } catch (const std::exception&) {
    return 0;
  }
}

void Allocator::name_heap(std::uint64_t launch, const std::function<std::string(std::uint32_t)>& place) {
  const std::lock_guard guard(mutex_);
  for (auto& [address, held] : held_) {
    Allocation& a = held.allocation;
    if (a.kind == AllocationKind::heap && a.launch == launch && a.made_at.empty()) a.made_at = place(a.line);
  }
}

std::vector<Allocation> Allocator::heap_blocks() const {
  const std::lock_guard guard(mutex_);
  std::vector<Allocation> blocks;
  for (const auto& [address, held] : held_)
    if (held.allocation.kind == AllocationKind::heap) blocks.push_back(held.allocation);
  return blocks;
}

bool Allocator::adopt(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  const auto after = held_.lower_bound(address);
  if (after != held_.end() && after->first - address < std::max<std::size_t>(bytes, 1)) return false;
  if (after != held_.begin() && distance(std::prev(after)->second.allocation, address) == 0) return false;
  Held held;
  held.allocation = {.address = address, .size = bytes, .kind = AllocationKind::host, .name = {}};
  hold(std::move(held));
  return true;
}

void Allocator::name_host(std::uint64_t address, std::string name) {
  const std::lock_guard guard(mutex_);
  const auto found = held_.find(address);
  if (found != held_.end() && found->second.allocation.kind == AllocationKind::host)
    found->second.allocation.name = std::move(name);
}

void Allocator::guard(std::uint64_t address) {
  const std::lock_guard guard(mutex_);
  const auto found = held_.find(address);
  if (found == held_.end()) return;
  found->second.allocation.guarded = true;
  version_.fetch_add(1, std::memory_order_release);
  count_release();
}

bool Allocator::release(std::uint64_t address, AllocationKind kind) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = held_.find(address);
  if (found == held_.end() || found->second.allocation.kind != kind) return false;
  Held& held = found->second;
  if (kind == AllocationKind::host) {
    held_.erase(found);
    version_.fetch_add(1, std::memory_order_release);
    count_release();
    return true;
  }
  used_ -= held.allocation.size;
  if (kind == AllocationKind::heap) {
    heap_used_ -= held.allocation.size;
    try {
      freed_heap_.insert(address);
    } catch (const std::bad_alloc&) {  // messages then do not say that it was freed
    }
  }
  if (keep_freed_) {
    keep(held_.extract(found));
  } else {
    return_to_free(held);
    held_.erase(found);
  }
  version_.fetch_add(1, std::memory_order_release);
  count_release();
  return true;
}

void Allocator::return_to_free(Held& held) noexcept {
  if (held.mapping != nullptr) {
    ::munmap(held.mapping, held.mapped);
    --large_count_;
  } else {
    arenas_.give_back(std::move(held.piece));
  }
}

// Large ones cost addresses only: their pages go back at once, and nobody may touch them, as if they were unmapped.
void Allocator::keep(HeldByAddress::node_type node) noexcept {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 34;
  constexpr std::size_t most_small = 64 << 20, most_count = 4096;
  const std::uint64_t address = node.key();
  Held& held = node.mapped();
  if (held.allocation.kind == AllocationKind::buffer) held.allocation.freed_by = base::caller_place();
  if (held.mapping != nullptr) {
    ::madvise(held.mapping, held.mapped, MADV_DONTNEED);
    ::mprotect(held.mapping, held.mapped, PROT_NONE);
  }
  // What is touched counts as it is, addresses for a small part.
  const auto weight = [](const Held& one) {
    return one.mapping != nullptr ? one.mapped * most_small / most_bytes : rounded_size(one.allocation.size);
  };
  kept_bytes_ += weight(held);
  (kept_.empty() ? kept_first_ : kept_.at(kept_last_).kept_next) = address;
  kept_last_ = address;
  kept_.insert(std::move(node));
  while (kept_bytes_ > most_small || kept_.size() > most_count) {
    const auto oldest = kept_.find(kept_first_);
    kept_first_ = oldest->second.kept_next;
    kept_bytes_ -= weight(oldest->second);
    return_to_free(oldest->second);
    kept_.erase(oldest);
  }
}

const Allocation* Allocator::freed(std::uint64_t address) const {
  const auto after = kept_.upper_bound(address);
  if (after == kept_.begin()) return nullptr;
  const Allocation& allocation = std::prev(after)->second.allocation;
  return distance(allocation, address) == 0 ? &allocation : nullptr;
}

std::optional<Allocation> Allocator::find(std::uint64_t address) const {
  const std::lock_guard guard(mutex_);
  auto after = held_.upper_bound(address);
  if (after == held_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(after)->second.allocation;
  if (distance(allocation, address) != 0) return std::nullopt;
  return allocation;
}

bool Allocator::contains(std::uint64_t address, std::uint64_t size) const {
  const std::lock_guard guard(mutex_);
  auto after = held_.upper_bound(address);
  if (after == held_.begin()) return false;
  const Allocation& a = std::prev(after)->second.allocation;
  return address - a.address <= a.size && size <= a.size - (address - a.address);
}

std::string Allocator::whereabouts(std::uint64_t address) const {
  constexpr std::uint64_t never_mapped = 65536;  // by default, nothing is put below
  if (address == 0) return "a null pointer";
  if (address < never_mapped) return "a null pointer and " + base::counted(address, "byte");
  const std::lock_guard guard(mutex_);
  if (const Allocation* gone = freed(address))
    return fmt::format("at offset {} of the {}, which was freed{}{}", address - gone->address, plain_name(*gone),
                       gone->freed_by.empty() ? "" : " at " + gone->freed_by.text(),
                       made_at(*gone).empty() ? "" : " and had been allocated at " + made_at(*gone));
  const Allocation* nearest = nullptr;
  const auto after = held_.upper_bound(address);
  if (after != held_.end()) nearest = &after->second.allocation;
  if (after != held_.begin()) {
    const Allocation& before = std::prev(after)->second.allocation;
    if (nearest == nullptr || distance(before, address) <= distance(*nearest, address)) nearest = &before;
  }
  if (nearest == nullptr) return "in no allocation; there are none";
  // Further than an index of 32 bits leads: the two have nothing to do with each other. Often it is a pointer to memory
  // of the host, or one that was never set.
  constexpr std::uint64_t far = std::uint64_t{1} << 36;
  if (const std::uint64_t away = distance(*nearest, address); away > far)
    return fmt::format("in no allocation; the nearest is {} away", base::format_bytes(away));
  const std::string name =
      plain_name(*nearest) + (made_at(*nearest).empty() ? "" : ", allocated at " + made_at(*nearest));
  if (address < nearest->address)
    return fmt::format("{} before the {}", base::counted(nearest->address - address, "byte"), name);
  const std::uint64_t offset = address - nearest->address;
  if (offset < nearest->size) return fmt::format("at offset {} of the {}", offset, name);
  if (offset == nearest->size) return fmt::format("right behind the end of the {}", name);
  return fmt::format("{} past the end of the {}", base::counted(offset - nearest->size, "byte"), name);
}

bool Allocator::was_heap(std::uint64_t address) const {
  const std::lock_guard guard(mutex_);
  return freed_heap_.contains(address);
}

std::shared_ptr<const AllocationMap> Allocator::snapshot() const {
  auto map = std::make_shared<AllocationMap>();
  const std::lock_guard guard(mutex_);
  map->ranges.reserve(held_.size());
  for (const auto& [address, held] : held_) {
    const Allocation& a = held.allocation;
    if (a.size != 0)
      map->ranges.push_back({address, address + a.size, a.kind == AllocationKind::constant, a.guarded, a.shadow});
  }
  return map;
}

std::shared_ptr<Shadow> Allocator::make_shadow(const Allocation& a) const {
  if (!checks_.race && !checks_.init) return nullptr;
  const bool is_fresh = a.kind == AllocationKind::buffer || a.kind == AllocationKind::heap;
  return std::make_shared<Shadow>(a.address, a.size, checks_.init && is_fresh, a.kind != AllocationKind::heap);
}

std::shared_ptr<Shadow> Allocator::shadow_of(std::uint64_t address, std::uint64_t bytes) const {
  if (!checks_.init) return nullptr;
  const std::lock_guard guard(mutex_);
  const auto after = held_.upper_bound(address);
  if (after == held_.begin()) return nullptr;
  const Allocation& a = std::prev(after)->second.allocation;
  return distance(a, address) == 0 && bytes <= a.size - (address - a.address) ? a.shadow : nullptr;
}

void Allocator::note_written(std::uint64_t address, std::uint64_t bytes) {
  if (const auto shadow = shadow_of(address, bytes)) shadow->note_written(address, bytes);
}

void Allocator::note_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  const auto target = shadow_of(to, bytes);
  if (target == nullptr || !target->knows_written()) return;
  const auto source = shadow_of(from, bytes);
  if (source != nullptr && source->knows_written())
    target->written().copy(to - target->begin(), source->written(), from - source->begin(), bytes);
  else
    target->note_written(to, bytes);
}

void Allocator::assume_written(std::uint64_t address) {
  if (const auto shadow = shadow_of(address, 0)) shadow->assume_written();
}

std::uint64_t Allocator::fingerprint() const {
  // The lock is given back between pieces: nobody who allocates shall wait for gigabytes to be read.
  constexpr std::size_t piece = 1 << 20;
  constexpr std::size_t sampled_from = 16 * piece, sampling = 16;  // of larger allocations one page in so many
  std::uint64_t print = 0, next = 0;
  for (;;) {
    const std::lock_guard guard(mutex_);
    auto at = held_.upper_bound(next);
    if (at != held_.begin()) {
      const Allocation& before = std::prev(at)->second.allocation;
      if (next - before.address < before.size) --at;
    }
    if (at == held_.end()) return print;
    const Allocation& a = at->second.allocation;
    const std::uint64_t from = std::max(next, a.address), end = a.address + a.size;
    const std::uint64_t to = std::min<std::uint64_t>(end, from + piece);
    const bool sampled = a.size >= sampled_from && from != a.address && to != end;
    for (std::uint64_t p = from; p < to; p += sampled ? page_bytes * sampling : piece)
      print = fold_memory(print, reinterpret_cast<const void*>(p),
                          std::min<std::size_t>(sampled ? page_bytes : piece, to - p));
    next = std::max(to, a.address + 1);
  }
}

std::uint64_t Allocator::used() const {
  const std::lock_guard guard(mutex_);
  return used_;
}

AdoptedMemory::AdoptedMemory(std::shared_ptr<Allocator> allocator, void* data, std::size_t bytes,
                             std::unique_ptr<Memory> owner)
    : allocator_(std::move(allocator)), data_(data), bytes_(bytes), owner_(std::move(owner)) {
  if (!allocator_->adopt(to_address(data), bytes))
    base::fail(ErrorCode::invalid_argument,
               "cpu: part of the {} at {} cannot be registered, as it is known already: it begins {}",
               base::counted(bytes, "byte"), data, allocator_->whereabouts(to_address(data)));
}

}  // namespace heddle::device::cpu
