// Wrong use of the command line, which ends with exit_usage: an unknown command or option, a value that its option does
// not take, and one that it does not take here because of another option or of the device's limits. What files
// hold, and which devices a machine has, is no wrong use: those errors keep the code that they have (docs/cli.md).
#pragma once

#include <string>
#include <utility>

#include "cli/command.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {

// Whether an error is about what it was given, and not about what happened meanwhile.
constexpr bool refuses(ErrorCode code) {
  return code == ErrorCode::invalid_argument || code == ErrorCode::not_found || code == ErrorCode::unsupported ||
         code == ErrorCode::parse_error;
}

// Does `work`, which looks at what the command line says and at no file. What it refuses is wrong use. `given`: the
// option with its value, "--policy foo", for the message; empty where the message of `work` names it.
template <class Work>
auto of_option(const std::string& given, Work&& work) -> decltype(std::forward<Work>(work)()) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    if (!refuses(error.code())) throw;
    throw UsageError((given.empty() ? "" : given + ": ") + error.what());
  }
}

}  // namespace heddle::cli
