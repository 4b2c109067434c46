// What a launch may touch of guarded memory (Memory::guard): the bytes that it was given. Where every access is verified,
// one beside them is a fault: what was ordered by the bytes that launches are given is in order only if they keep to them.
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
    std::string name;          // for messages: "argument 2, 'x'"
  };
  // Parts may overlap: then the launch may do what any of them says.
  explicit Footprint(std::vector<Part> parts);

  // Whether it may read or write all of these bytes.
  bool allows(std::uint64_t address, std::uint64_t size, bool writes) const noexcept;
  // The end of a sentence that tells of an access that it does not allow, to guarded memory that begins at `memory` and
  // has so many bytes: "which is 4 bytes past what the launch was given of an array of 4096 bytes: ...".
  std::string describe(std::uint64_t address, std::uint64_t size, std::uint64_t memory,
                       std::uint64_t memory_bytes) const;

 private:
  struct Range {
    std::uint64_t begin, end;
  };
  static std::vector<Range> joined(const std::vector<Part>& parts, bool Part::* right);
  static bool holds(const std::vector<Range>& ranges, std::uint64_t address, std::uint64_t size) noexcept;

  std::vector<Part> parts_;                 // in the order of arguments
  std::vector<Range> readable_, writable_;  // ascending, apart from each other
};

}  // namespace heddle::device
