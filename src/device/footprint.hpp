// The bytes of guarded memory (Memory::guard) that a launch may access: those that were passed to it. If every access
// is verified, an access to other bytes is a fault. The reason: the order of launches is inferred from the bytes that
// are passed to them, so it is correct only if they access no others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::device {

// Immutable once made; any thread.
class Footprint {
 public:
  struct Part {
    std::uint64_t begin, end;  // addresses
    bool reads, writes;        // what the launch may do there
    std::string name;          // for messages: "argument 2, x"
  };
  // Parts may overlap: then every access that one of them permits is permitted.
  explicit Footprint(std::vector<Part> parts);

  struct Access {
    std::uint64_t address, size;
    bool reads, writes;  // an atomic does both
  };
  bool allows(const Access& access) const noexcept;
  struct Range {
    std::uint64_t begin, end;
  };
  // The bytes around an access that allows() permits, of which all accesses of its kind are permitted.
  Range around(const Access& access) const noexcept;
  // Describes an access that is not permitted, in guarded memory of `memory_bytes` bytes from `memory` on: "at offset
  // 2000 of an array of 4000 bytes; the launch was given bytes 0 to 2000 of it to write (argument 1)".
  std::string describe(const Access& access, std::uint64_t memory, std::uint64_t memory_bytes) const;

 private:
  const Part* nearest(const Access& access, const Range& memory) const;
  static std::vector<Range> joined(const std::vector<Part>& parts, bool Part::* right);
  // The range that holds [address, address + size), or null.
  static const Range* holder(const std::vector<Range>& ranges, std::uint64_t address, std::uint64_t size) noexcept;

  std::vector<Part> parts_;                 // in the order of arguments
  std::vector<Range> readable_, writable_;  // ascending, without overlaps
};

}  // namespace heddle::device
