// What the words of nvcc's command line mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/cc/options.hpp"

namespace heddle::programs {

struct OptionRule {
  // A list is separated by commas. Words are as well, and by blanks: nvcc hands them to the shell.
  enum class Value { none, one, number, list, words, optional_truth };
  std::vector<std::string_view> names;  // without dashes
  Value value = Value::none;
  // What it does; `value` is empty for those without one. Null: accepted, nothing to do.
  void (*apply)(CcOptions&, const std::string& value) = nullptr;
  bool joined = false;            // the value may follow without a space: -Ifolder
  const char* refused = nullptr;  // the sentence that says why it cannot be done
};

const std::vector<OptionRule>& option_rules();

}  // namespace heddle::programs
