// Which host addresses a kernel may access: all allocations of the device, by address.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>

#include "device/machine/model_addresses.hpp"

namespace heddle::device::machine {

struct Allocation {
  enum class Kind : std::uint8_t { memory, variable, constant, heap, host };
  Kind kind = Kind::memory;
  std::uint64_t address = 0, size = 0;
  std::string name;         // of a variable, also of one in host memory
  bool guarded = false;     // Memory::guard()
  std::uint64_t model = 0;  // its address in a model of memory (ModelAddresses); the map sets it
  bool contains(std::uint64_t at, std::uint64_t bytes) const {
    return at >= address && at - address <= size && bytes <= size - (at - address);
  }
};

// All functions may be called from any thread.
class AddressMap {
 public:
  void add(Allocation allocation);
  // Adds nothing and returns false if it overlaps another allocation.
  bool add_if_disjoint(Allocation allocation);
  // Sets the name of the allocation of host memory that begins at the address; does nothing if there is none.
  void name_host(std::uint64_t address, std::string name);
  // Marks the allocation that begins at the address as guarded; does nothing if there is none.
  void guard(std::uint64_t address);
  // Removes and returns the allocation that begins at the address; nothing if there is none.
  std::optional<Allocation> remove(std::uint64_t address);
  // Another one after each change of the allocations.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // What a check of an access needs to know about an allocation.
  struct Holder {
    Allocation::Kind kind;
    bool guarded;
    std::uint64_t address, size;
    std::uint64_t model;
    // What leads from a host address in it to the address in a model of memory.
    std::uint64_t to_model() const { return model - address; }
  };
  // The allocation that contains all of the bytes. holder() is for each access; find() includes the name, for messages.
  std::optional<Holder> holder(std::uint64_t address, std::uint64_t bytes) const;
  std::optional<Allocation> find(std::uint64_t address, std::uint64_t bytes) const;
  std::optional<Allocation> first_of(Allocation::Kind kind) const;
  // For messages: "16 bytes behind the end of the allocation of 4096 bytes at 0x...".
  std::string describe_nearest(std::uint64_t address) const;

 private:
  const Allocation* holding(std::uint64_t address, std::uint64_t bytes) const;

  void give_model_address(Allocation& allocation);
  void take_model_address(const Allocation& allocation);

  mutable std::shared_mutex mutex_;
  ModelAddresses model_;
  std::map<std::uint64_t, Allocation> by_address_;
  std::atomic<std::uint64_t> version_{0};
};

// "the variable 'table' (64 bytes at 0x...)"
std::string describe(const Allocation& allocation);

}  // namespace heddle::device::machine
