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

const Footprint::Range* Footprint::holder(const std::vector<Range>& ranges, std::uint64_t address,
                                          std::uint64_t size) noexcept {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uint64_t at, const Range& range) { return at < range.begin; });
  if (after == ranges.begin()) return nullptr;
  const Range& range = *std::prev(after);
  return address < range.end && size <= range.end - address ? &range : nullptr;
}

Footprint::Footprint(std::vector<Part> parts)
    : parts_(std::move(parts)), readable_(joined(parts_, &Part::reads)), writable_(joined(parts_, &Part::writes)) {}

bool Footprint::allows(const Access& access) const noexcept {
  return (!access.reads || holder(readable_, access.address, access.size) != nullptr) &&
         (!access.writes || holder(writable_, access.address, access.size) != nullptr);
}

Footprint::Range Footprint::around(const Access& access) const noexcept {
  Range found{0, ~std::uint64_t{0}};
  const auto narrow = [&](const Range* range) {
    if (range == nullptr) return;
    found = {std::max(found.begin, range->begin), std::min(found.end, range->end)};
  };
  if (access.reads) narrow(holder(readable_, access.address, access.size));
  if (access.writes) narrow(holder(writable_, access.address, access.size));
  return found;
}

// Of the parts of that array the nearest one, of those with the rights where there are any.
const Footprint::Part* Footprint::nearest(const Access& access, const Range& memory) const {
  const Part* found = nullptr;
  std::pair<bool, std::uint64_t> least;
  for (const Part& part : parts_) {
    // An empty part at its end, too, is one of this array.
    if (part.begin < memory.begin || part.begin > memory.end) continue;
    const std::uint64_t end = access.address + access.size;
    const std::uint64_t away = access.address < part.begin ? part.begin - access.address
                               : end > part.end            ? end - part.end
                                                           : 0;
    const bool lacks = (access.reads && !part.reads) || (access.writes && !part.writes);
    const std::pair<bool, std::uint64_t> distance{lacks, away};
    if (found != nullptr && distance >= least) continue;
    found = &part;
    least = distance;
  }
  return found;
}

std::string Footprint::describe(const Access& access, std::uint64_t memory, std::uint64_t memory_bytes) const {
  std::string text =
      fmt::format("at offset {} of an array of {}", access.address - memory, base::counted(memory_bytes, "byte"));
  const Part* const part = nearest(access, {memory, memory + memory_bytes});
  if (part == nullptr) return text + " that was not given to the launch, nor its address taken";
  const char* what = part->reads && part->writes ? ""
                     : part->reads               ? " to read"
                     : part->writes              ? " to write"
                                                 : ", which by its PTX it does not use";
  return text + fmt::format("; the launch was given bytes {} to {} of it{} ({})", part->begin - memory,
                            part->end - memory, what, part->name);
}

}  // namespace heddle::device
