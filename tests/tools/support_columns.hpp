// The columns of docs/ptx-support.md: each device asked about one instruction at a time.
#pragma once

#include <vector>

#include "ptx/support_page.hpp"

namespace heddle::test {

// What the CPU device's code generator takes, and what the interpreter executes. Must not outlive each other's calls:
// the functions are for one thread.
std::vector<ptx::SupportColumn> device_columns();

}  // namespace heddle::test
