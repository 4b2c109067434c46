// Options that belong to one policy, as formation=majority to divergence=dwf.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

// A line of the table of options. `choices`: the values that are allowed, with ", " between them; empty: a whole number
// from low to high.
struct PolicyOption {
  std::string_view name, initial, choices;
  unsigned low = 0, high = 0;
  // The policies that have it, as "divergence=dwf"; with " " between them.
  std::string_view policies;
  std::string_view meaning;
  std::string allowed() const;
};
std::span<const PolicyOption> policy_options();

// The values that are chosen; those that are not have the table's. Throws invalid_argument for a name or value that
// does not exist.
class PolicyOptions {
 public:
  // `text`: "formation=majority,pool=64".
  explicit PolicyOptions(std::string_view text = {});
  void set(std::string_view name, std::string_view value);
  std::string_view text(std::string_view name) const;
  unsigned number(std::string_view name) const;
  bool is(std::string_view name, std::string_view value) const { return text(name) == value; }
  // As the constructor takes it.
  std::string all() const;
  // Throws invalid_argument if one belongs to none of the policies.
  void check(const Policies& policies) const;

 private:
  std::vector<std::pair<std::string, std::string>> chosen_;
};

// Whether there is an option of this name.
bool is_policy_option(std::string_view name);

}  // namespace heddle::device::sim
