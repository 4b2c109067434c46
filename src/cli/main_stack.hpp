// The stack of the program where the limit (ulimit -s) leaves it little.
#pragma once

#include <functional>

namespace heddle::cli {

// Runs `work` and returns what it returns. Where the limit of the stack is below what programs have as a rule, `work`
// runs on a thread with that stack, and so do the threads that are started from then on: compilers and parsers need it.
int run_with_stack(const std::function<int()>& work);

}  // namespace heddle::cli
