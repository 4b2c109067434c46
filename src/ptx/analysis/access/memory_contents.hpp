// Which pointers memory holds: local memory, .param variables of calls, parameters, shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "ptx/analysis/access/pointer_value.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Cells that are no variable of the function, by Source::index.
inline constexpr std::uint32_t return_cells = 0x40000000u;  // + number of the result
inline constexpr std::uint32_t heap_cell = 0x50000000u;

// Contents only grow; functions that add some return whether they are new.
class MemoryContents {
 public:
  // Both must outlive the object.
  MemoryContents(const Function& function, SourceTable& sources) : function_(function), sources_(sources) {}

  // What 8 bytes of a cell variable may hold.
  PointerValue cell(std::uint32_t variable, std::int64_t offset) const;
  bool add_to_cell(std::uint32_t variable, std::int64_t offset, const PointerValue& value) {
    return cells_[{variable, offset}].insert(value);
  }
  PointerValue parameter_field(std::uint32_t parameter, std::int64_t offset);
  const PointerValue& shared() const { return shared_; }
  bool add_to_shared(const PointerValue& value) { return shared_.insert(value); }

  // What a load `step` bytes behind the targets may give, and a store there.
  PointerValue loaded_from(const SourceSet& targets, Space space, std::int64_t step);
  bool store(const SourceSet& targets, Space space, const PointerValue& value, std::int64_t step);

  using Key = std::pair<std::uint32_t, std::int64_t>;  // variable, offset
  const std::map<Key, PointerValue>& cells() const { return cells_; }

 private:
  const Function& function_;
  SourceTable& sources_;
  std::map<Key, PointerValue> cells_;
  PointerValue shared_;
};

}  // namespace heddle::ptx::analysis
