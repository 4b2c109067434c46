// Replaces calls by the bodies of the functions they name.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// A body is not copied any more when the result would have more instructions than the options say; the call stays.
struct InlineOptions {
  std::size_t max_instructions = 200'000;
  // `least` and so many times the instructions of the function and of all that it can call: functions that call each
  // other several times would have a size that doubles with each.
  std::size_t least = 2'000;
  std::size_t growth = 2;
};
// Of a function that stays a function.
constexpr InlineOptions inline_into_callee = {.least = 256};

// A copy of `function` in which every direct call to a function with a body, that is not part of a recursion, is
// replaced by that body. Parameters become .param variables or registers of the caller, `ret` a branch behind the call;
// a callee's .shared variables appear once however often it is inlined. Calls through a register or a table, recursive
// calls and calls to functions without a body stay as they are. Pure.
Function inline_calls(const Module& module, const Function& function, const InlineOptions& options = {});

// Functions reachable from `function` by calls that inline_calls leaves: what else must be compiled. Calls through a
// register add every function whose address is taken in the module.
std::vector<std::uint32_t> remaining_callees(const Module& module, const Function& inlined);

// The function with a body that a declaration stands for, by its name or through an .alias; the function itself when it
// has a body, or when nothing defines it.
std::uint32_t definition_of(const Module& module, std::uint32_t function);

// The functions (by index) of the module that can call themselves, directly or through others.
std::vector<bool> recursive_functions(const Module& module);

}  // namespace heddle::ptx
