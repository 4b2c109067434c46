// docs/ptx-support.md: every form of every instruction, and which devices run it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ptx/form_table.hpp"

namespace heddle::ptx {

// A column of the page. `runs` says whether the device runs an instruction of this form with these suffixes (operands
// are not looked at).
struct SupportColumn {
  std::string device;
  std::function<bool(const Form& form, const ModifierList& modifiers, const Decoded& d)> runs;
};

// Suffix lists of a form without those that a rule forbids: every alternative of every position at least once, then
// others spread evenly over all combinations until there are `limit`.
std::vector<ModifierList> suffix_lists(const FormFamily& family, const Form& form, std::size_t limit);

// "yes", "no", or "but for .x, .y" when exactly the suffix lists with one of those fail, else "in part".
std::string support_of(const FormFamily& family, const Form& form, const SupportColumn& column);

// The whole page in Markdown.
std::string support_page(std::span<const SupportColumn> columns);

}  // namespace heddle::ptx
