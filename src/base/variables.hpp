// The environment variables that Heddle reads: one table says what each takes and does. All code that reads such a
// variable asks here, so that every one takes the same words, and refuses the rest by a sentence with its name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/checks.hpp"

namespace heddle::base {

struct Variable {
  enum class Kind {
    truth,    // 1, true, yes, on; 0, false, no, off; in any case of the letters
    number,   // from `least` to `most`
    bytes,    // the same, also as an amount (byte_count.hpp): 20G
    word,     // one of `words`, in any case of the letters
    checks,   // as a truth, or kinds of checks (heddle/checks.hpp)
    devices,  // ids of devices, comma separated
    removed,  // names with a - before each, comma separated
    text,     // a file, a folder, a name
  };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view meaning;   // a few words
  std::string_view effect;    // what it does when it is set, with {} for its value; of a truth: when it is on
  std::string_view off = {};  // of a truth or checks: what it does when it is off
  std::uint64_t least = 0, most = ~std::uint64_t{0};
  std::string_view words = {};  // comma separated
};

// Sorted by name.
std::span<const Variable> variables();

// What is wrong with the value, as a sentence; empty if nothing is. An empty value counts as not set.
std::string complaint(const Variable& variable, std::string_view value);
// What the variable does with this value, which must be valid.
std::string effect_of(const Variable& variable, std::string_view value);

// Throws Error(invalid_argument) where a variable of this process's environment has a value that it does not take.
// Programs and runtimes ask when they start, so that no value is refused halfway.
void check_variables();

// The value of the variable in this process's environment; nothing if it is not set or empty. The variable must be in
// the table, with the kind that the function's name says. Throws Error(invalid_argument) for what it does not take.
std::optional<bool> truth_variable(std::string_view name);
std::optional<std::uint64_t> number_variable(std::string_view name);
std::optional<Checks> checks_variable(std::string_view name);
// Of all other kinds: a word in small letters, the rest as it is.
std::optional<std::string> text_variable(std::string_view name);

// "cuda:0,sim:hopper-h100,scheduler=gto,cpu" as its three ids: what follows a simulated GPU with an equals sign is an
// option of it.
std::vector<std::string_view> split_devices(std::string_view list);

// What is wrong with `list` as ids of devices: cpu, interp, cuda:0, sim:MACHINE, or "gpus" alone; empty if nothing is.
// Whether the machine has them is not checked.
std::string complaint_of_devices(std::string_view list);

}  // namespace heddle::base
