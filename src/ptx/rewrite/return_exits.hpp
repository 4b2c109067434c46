// Exits of threads in functions that stay functions, as results of these: for devices whose functions can only return.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Whether a thread of `inlined` may exit in a function that is called: one of those that inline_calls has left.
// `inlined` need not be in the module.
bool exits_in_callees(const Module& module, const Function& inlined);

// Each function in which a thread may exit, itself or in what it calls, gets a further result, the last: 1 of a thread
// that has exited, else 0. `exit` in such a function stores it and returns, and behind each call of one the threads
// whose result is 1 leave too: a function returns, a kernel exits. Other results of a thread that has exited are not
// defined. Functions that one indirect call may reach all get the result if one of them has it. No function that may
// exit is `.noreturn` any more: threads return from all of them.
void return_exits(Module& module);

}  // namespace heddle::ptx
