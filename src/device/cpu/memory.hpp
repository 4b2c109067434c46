// Device memory: where every byte that kernels may access was allocated, and by what.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/caller_place.hpp"
#include "device/cpu/arenas.hpp"
#include "device/cpu/checker/shadow.hpp"
#include "device/memory.hpp"
#include "heddle/checks.hpp"

namespace heddle::device::cpu {

enum class AllocationKind : std::uint8_t {
  buffer,
  variable,
  constant,
  heap,
  host,  // memory of the program's own, which kernels may use
};

struct Allocation {
  std::uint64_t address = 0;
  std::size_t size = 0;
  AllocationKind kind = AllocationKind::buffer;
  std::string name;                               // of a variable
  bool guarded = false;                           // Memory::guard()
  base::CallerPlace made_by = {}, freed_by = {};  // the program's calls; empty: not known
  std::string made_at = {};                       // of a heap block: the place in a kernel; empty: not known
  std::uint64_t launch = 0;                       // of a heap block: the command that allocated it
  std::uint32_t line = 0;                         // and the number of its instruction
  std::shared_ptr<Shadow> shadow = nullptr;       // where races or uninitialised memory may be looked for
};

// An immutable picture of the allocations in address order, for checking accesses without a lock.
struct AllocationMap {
  struct Range {
    std::uint64_t begin, end;
    bool constant, guarded;
    std::shared_ptr<Shadow> shadow = nullptr;  // null: nobody asks for one
  };
  std::vector<Range> ranges;
  // The range that holds [address, address + size), or null.
  const Range* find(std::uint64_t address, std::uint64_t size) const;
};

// Allocates from the host's memory. Bookkeeping is stored separately from the bytes, so that a kernel that writes where
// it must not cannot break it. Any thread.
class Allocator {
 public:
  // `limit`: bytes in all; `heap_limit`: bytes of kind heap. `keep_freed`: what is freed is not given out again until
  // much more has been freed, and whereabouts() mentions it. `checks`: with race and init, allocations have shadows.
  Allocator(std::uint64_t limit, std::uint64_t heap_limit, bool keep_freed = false, const Checks& checks = {});
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  static constexpr std::size_t alignment = 256;

  // The address of `bytes` bytes. Throws out_of_memory with what holds how much.
  std::uint64_t allocate(std::size_t bytes, AllocationKind kind, std::string name = {});
  // 0 when the heap's limit, or the memory, is exhausted.
  // `launch` and `line`: who asks, for name_heap().
  std::uint64_t allocate_heap(std::size_t bytes, std::uint64_t launch = 0, std::uint32_t line = 0) noexcept;
  // Notes where a launch has allocated the blocks that it leaves.
  void name_heap(std::uint64_t launch, const std::function<std::string(std::uint32_t line)>& place);
  std::vector<Allocation> heap_blocks() const;
  // Registers memory of the program as an allocation, until it is released: it counts for no limit. False when part of
  // it is in one.
  bool adopt(std::uint64_t address, std::size_t bytes);
  // The name of such memory in messages; no effect where none begins there.
  void name_host(std::uint64_t address, std::string name);
  // No effect where no allocation begins there.
  void guard(std::uint64_t address);
  // False when no allocation of that kind starts there.
  bool release(std::uint64_t address, AllocationKind kind) noexcept;

  // The allocation that contains the address.
  std::optional<Allocation> find(std::uint64_t address) const;
  bool contains(std::uint64_t address, std::uint64_t size) const;
  // Where an address lies in relation to the nearest allocation, as the rest of a sentence: "16 bytes past the end of
  // the allocation of 1024 bytes at 0x7f0000000000".
  std::string whereabouts(std::uint64_t address) const;
  // For the check of uninitialised memory. No effect on what is no allocation with a shadow.
  void note_written(std::uint64_t address, std::uint64_t bytes);
  void note_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  void assume_written(std::uint64_t address);
  // Distinguishes heap blocks that are freed twice from foreign pointers.
  bool was_heap(std::uint64_t address) const;

  // What generated code knows of allocations counts no more.
  void forget_known_ranges() { count_release(); }
  // Changes whenever the allocations do.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // Where a number is that changes whenever memory is released, or is guarded. Lives as long as the allocator.
  const std::uint64_t* releases() const { return &releases_; }
  std::shared_ptr<const AllocationMap> snapshot() const;
  std::uint64_t used() const;
  // Changes with what is in the allocations, of large ones a sample. Reads while others write.
  std::uint64_t fingerprint() const;

 private:
  struct Held {
    Allocation allocation;
    void* mapping = nullptr;  // large ones: the whole mapping with its guards
    std::size_t mapped = 0;
    Arenas::Piece piece = {};     // others
    std::uint64_t kept_next = 0;  // in kept_: the address of the one that was freed next
  };
  using HeldByAddress = std::map<std::uint64_t, Held>;
  // With the lock: keeps it, and releases what has been kept for longest where it is too much.
  void keep(HeldByAddress::node_type held) noexcept;
  void return_to_free(Held& held) noexcept;
  const Allocation* freed(std::uint64_t address) const;
  std::shared_ptr<Shadow> make_shadow(const Allocation& allocation) const;
  // With the lock: makes it one of held_. Throws std::bad_alloc, and has given the memory back then.
  void hold(Held held);
  std::shared_ptr<Shadow> shadow_of(std::uint64_t address, std::uint64_t bytes) const;
  Held place(std::size_t bytes);
  Held map_large(std::size_t bytes);
  std::string holders() const;

  const std::uint64_t limit_, heap_limit_;
  const bool keep_freed_;
  const Checks checks_;
  mutable std::mutex mutex_;
  HeldByAddress held_;
  std::uint64_t used_ = 0, heap_used_ = 0;
  std::size_t large_count_ = 0;
  Arenas arenas_;
  HeldByAddress kept_;  // freed
  std::uint64_t kept_first_ = 0, kept_last_ = 0;
  std::uint64_t kept_bytes_ = 0;
  std::set<std::uint64_t> freed_heap_;  // addresses of heap blocks that are free now
  void count_release() { __atomic_fetch_add(&releases_, 1, __ATOMIC_RELEASE); }
  std::atomic<std::uint64_t> version_{1};
  alignas(64) std::uint64_t releases_ = 1;  // generated code reads it; a line of its own, since all threads do
};

// Owns one allocation.
class CpuMemory final : public Memory {
 public:
  CpuMemory(Device* device, std::shared_ptr<Allocator> allocator, std::size_t bytes)
      : device_(device),
        allocator_(std::move(allocator)),
        address_(allocator_->allocate(bytes, AllocationKind::buffer)),
        size_(bytes) {}
  ~CpuMemory() override { allocator_->release(address_, AllocationKind::buffer); }
  CpuMemory(const CpuMemory&) = delete;
  CpuMemory& operator=(const CpuMemory&) = delete;
  Span span() const override { return {device_, address_, size_}; }
  // From now on the host may write there at any time.
  void* host() const override {
    allocator_->assume_written(address_);
    return reinterpret_cast<void*>(address_);
  }
  void guard() override { allocator_->guard(address_); }

 private:
  Device* device_;
  std::shared_ptr<Allocator> allocator_;
  std::uint64_t address_;
  std::size_t size_;
};

// Host memory that kernels may use, for as long as it lives.
class AdoptedMemory final : public Memory {
 public:
  // Throws invalid_argument when part of it is known already. `owner` may be null: the program keeps the memory.
  AdoptedMemory(std::shared_ptr<Allocator> allocator, void* data, std::size_t bytes, std::unique_ptr<Memory> owner);
  ~AdoptedMemory() override { allocator_->release(reinterpret_cast<std::uint64_t>(data_), AllocationKind::host); }
  AdoptedMemory(const AdoptedMemory&) = delete;
  AdoptedMemory& operator=(const AdoptedMemory&) = delete;
  Span span() const override { return Span::host(data_, bytes_); }
  void* host() const override { return data_; }
  void guard() override { allocator_->guard(reinterpret_cast<std::uint64_t>(data_)); }

 private:
  std::shared_ptr<Allocator> allocator_;
  void* data_;
  std::size_t bytes_;
  std::unique_ptr<Memory> owner_;
};

}  // namespace heddle::device::cpu
