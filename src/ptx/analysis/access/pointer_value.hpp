// What a register may point to: sets of places that a pointer may have come from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace heddle::ptx::analysis {

// A place that pointers come from. `offset` counts bytes; `any_offset` when it is not known.
struct Source {
  enum class Kind : std::uint8_t {
    parameter,        // the value of the 8-byte field of parameter `index` at `offset`
    module_variable,  // the address of variable `index` of the module
    cell,             // the address, at `offset`, of variable `index` of the function: .local, or .param of a call
    parameter_cell,   // the address, at `offset`, of parameter `index` itself
    shared,           // an address of shared memory, all of which is one place
    loaded,           // loaded through a pointer of source `index`
    elsewhere,        // from unknown code
  };
  Kind kind = Kind::elsewhere;
  std::uint32_t index = 0;
  std::int64_t offset = 0;
  static constexpr std::int64_t any_offset = INT64_MIN;
  friend auto operator<=>(const Source&, const Source&) = default;
};

// Sources by number, so that sets of them are small.
class SourceTable {
 public:
  std::uint32_t number(const Source& source) {
    const auto [it, is_new] = numbers_.try_emplace(source, static_cast<std::uint32_t>(sources_.size()));
    if (is_new) sources_.push_back(source);
    return it->second;
  }
  const Source& operator[](std::uint32_t number) const { return sources_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(sources_.size()); }

 private:
  std::map<Source, std::uint32_t> numbers_;
  std::vector<Source> sources_;
};

class SourceSet {
 public:
  bool insert(std::uint32_t number) {
    const auto it = std::lower_bound(items_.begin(), items_.end(), number);
    if (it != items_.end() && *it == number) return false;
    items_.insert(it, number);
    return true;
  }
  bool insert(const SourceSet& other) {
    if (std::includes(items_.begin(), items_.end(), other.items_.begin(), other.items_.end())) return false;
    std::vector<std::uint32_t> both;
    both.reserve(items_.size() + other.items_.size());
    std::set_union(items_.begin(), items_.end(), other.items_.begin(), other.items_.end(), std::back_inserter(both));
    items_ = std::move(both);
    return true;
  }
  bool contains(std::uint32_t number) const { return std::binary_search(items_.begin(), items_.end(), number); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }

 private:
  std::vector<std::uint32_t> items_;
};

struct PointerValue {
  SourceSet address;  // certainly an address: it went through cvta or names a variable
  SourceSet plain;    // 64 bits that may be an address
  SourceSet derived;  // computed from such in a way that is not followed

  bool insert(const PointerValue& other) {
    const bool a = address.insert(other.address), p = plain.insert(other.plain), d = derived.insert(other.derived);
    return a || p || d;
  }
  bool empty() const { return address.empty() && plain.empty() && derived.empty(); }
  // What an address with this value may point to.
  SourceSet targets() const {
    SourceSet both = address;
    both.insert(plain);
    return both;
  }
  SourceSet everything() const {
    SourceSet all = address;
    all.insert(plain);
    all.insert(derived);
    return all;
  }
};

}  // namespace heddle::ptx::analysis
