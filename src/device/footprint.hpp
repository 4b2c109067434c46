// What a launch may touch of guarded memory (Memory::guard): the bytes that it was given. Where every access is
// verified, one beside them is a fault: what was ordered by the bytes that launches are given is in order only if they
// keep to them.
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
  // Parts may overlap: then the launch may do what any of them says.
  explicit Footprint(std::vector<Part> parts);

  struct Access {
    std::uint64_t address, size;
    bool reads, writes;  // an atomic does both
  };
  bool allows(const Access& access) const noexcept;
  // Where an access that it does not allow lies, in guarded memory that begins at `memory` and has so many bytes: "at
  // offset 2000 of an array of 4000 bytes; the launch was given bytes 0 to 2000 of it to write (argument 1)".
  std::string describe(const Access& access, std::uint64_t memory, std::uint64_t memory_bytes) const;

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  const Part* nearest(const Access& access, const Range& memory) const;
  static std::vector<Range> joined(const std::vector<Part>& parts, bool Part::* right);
  static bool holds(const std::vector<Range>& ranges, std::uint64_t address, std::uint64_t size) noexcept;

  std::vector<Part> parts_;                 // in the order of arguments
  std::vector<Range> readable_, writable_;  // ascending, apart from each other
};

}  // namespace heddle::device
