// Loads of one basic block that read neighbouring places of each lane, where every lane's place is far from the
// others': lanes that each walk along a row of their own. Merged, each lane makes one wide access, and shuffles spread
// what it read over the registers; that is several times faster than a gather for each load.
//
// Together the loads of a group touch all the bytes of the wide access, in the same lanes, and nothing between them
// waits or leaves the block: the access may take their place, at the first of them. Where stores lie between them,
// their addresses are known at the first load as well, and lie in one place or side by side: whether they meet a row is
// checked at run time, and loads after such a store are made separately if so.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heddle::device::cpu {

class FunctionFacts;

// An address found as the sum of two registers, which still hold the same at the group's first load.
struct AddressSum {
  std::uint32_t uniform = 0, varying = 0;
  std::int64_t distance = 0;  // to be added
};

struct LoadGroup {
  std::uint32_t first = 0;            // the first load of the group
  std::int64_t distance = 0;          // of the group's first byte from the address of that load
  unsigned bytes = 4, count = 2;      // of an element, and how many elements
  std::optional<AddressSum> sum;      // the address of the group's first byte
  std::vector<std::uint32_t> stores;  // between its loads, in the order of the text
};

struct MergedLoads {
  static constexpr std::uint32_t none = 0xffffffffu;
  struct Place {
    std::uint32_t group = none;  // none: the element is read on its own
    unsigned element = 0;        // of the group
  };

  std::vector<LoadGroup> groups;
  // By instruction: where each of its elements is found. Only loads that have at least one element in a group.
  std::unordered_map<std::uint32_t, std::vector<Place>> places;
};

// Wide accesses are at most this many bytes of each lane.
inline constexpr unsigned merged_bytes = 16;

// More stores than this are not looked at for one group.
inline constexpr unsigned merged_stores = 16;

// Takes linear time but for sorting the loads of each group by their place.
MergedLoads find_merged_loads(const FunctionFacts& facts);

}  // namespace heddle::device::cpu
