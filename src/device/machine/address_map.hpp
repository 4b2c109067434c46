// Which host addresses a kernel may touch: every allocation of the device, by address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>

namespace heddle::device::machine {

struct Allocation {
  enum class Kind : std::uint8_t { memory, variable, constant, heap, host };
  Kind kind = Kind::memory;
  std::uint64_t address = 0, size = 0;
  std::string name;      // of a variable, also of one in memory of the host's
  bool guarded = false;  // Memory::guard()
  bool contains(std::uint64_t at, std::uint64_t bytes) const {
    return at >= address && at - address <= size && bytes <= size - (at - address);
  }
};

// All functions may be called from any thread.
class AddressMap {
 public:
  void add(Allocation allocation);
  // False, and nothing is added, when part of it is in another one.
  bool add_if_disjoint(Allocation allocation);
  // What memory of the host's is called; nothing happens where none begins there.
  void name_host(std::uint64_t address, std::string name);
  // Nothing happens where no allocation begins there.
  void guard(std::uint64_t address);
  // Returns what was there, if anything.
  std::optional<Allocation> remove(std::uint64_t address);
  // What an access has to know of an allocation.
  struct Holder {
    Allocation::Kind kind;
    bool guarded;
    std::uint64_t address, size;
  };
  // The allocation that holds all of the bytes: for each access, and with its name, for messages.
  std::optional<Holder> holder(std::uint64_t address, std::uint64_t bytes) const;
  std::optional<Allocation> find(std::uint64_t address, std::uint64_t bytes) const;
  std::optional<Allocation> first_of(Allocation::Kind kind) const;
  // "16 bytes behind the end of the allocation of 4096 bytes at 0x...": for messages.
  std::string describe_nearest(std::uint64_t address) const;

 private:
  const Allocation* holding(std::uint64_t address, std::uint64_t bytes) const;

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Allocation> by_address_;
};

// "the variable 'table' (64 bytes at 0x...)"
std::string describe(const Allocation& allocation);

}  // namespace heddle::device::machine
