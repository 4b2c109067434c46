#include "device/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format.hpp"

namespace heddle::device {

std::vector<Footprint::Range> Footprint::joined(const std::vector<Part>& parts, bool Part::* right) {
  std::vector<Range> all;
  for (const Part& part : parts)
    if (part.*right && part.begin < part.end) all.push_back({part.begin, part.end});
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (const Range& range : all) {
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  }
  return joined;
}

bool Footprint::holds(const std::vector<Range>& ranges, std::uint64_t address, std::uint64_t size) noexcept {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uint64_t at, const Range& range) { return at < range.begin; });
  if (after == ranges.begin()) return false;
  const Range& range = *std::prev(after);
  return address < range.end && size <= range.end - address;
}

Footprint::Footprint(std::vector<Part> parts)
    : parts_(std::move(parts)), readable_(joined(parts_, &Part::reads)), writable_(joined(parts_, &Part::writes)) {}

bool Footprint::allows(std::uint64_t address, std::uint64_t size, bool writes) const noexcept {
  return holds(writes ? writable_ : readable_, address, size);
}

std::string Footprint::describe(std::uint64_t address, std::uint64_t size, std::uint64_t memory,
                                std::uint64_t memory_bytes) const {
  const std::string array = "an array of " + base::counted(memory_bytes, "byte");
  const std::uint64_t end = address + size;
  const Part* nearest = nullptr;
  std::uint64_t least = 0;
  for (const Part& part : parts_) {
    // Of this array; an empty part at its end too.
    if (part.begin < memory || part.begin > memory + memory_bytes) continue;
    const std::uint64_t away = address < part.begin ? part.begin - address : end > part.end ? end - part.end : 0;
    if (nearest != nullptr && away >= least) continue;
    nearest = &part;
    least = away;
  }
  const std::uint64_t offset = address - memory;
  if (nearest == nullptr)
    return fmt::format("which is at offset {} of {} that was not given to the launch, nor its address taken", offset, array);
  if (least == 0)
    return fmt::format("which is at offset {} of {}, {}, that the launch may only {}", offset, array, nearest->name,
                       nearest->reads ? "read" : nearest->writes ? "write" : "pass on");
  return fmt::format("which is at offset {} of {}; the launch was given bytes {} to {} of it ({})", offset, array,
                     nearest->begin - memory, nearest->end - memory, nearest->name);
}

}  // namespace heddle::device
