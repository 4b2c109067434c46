// Runs the unit kernels of the ZLUDA project (kernels.txt) on a device. Without the folder $HEDDLE_ZLUDA_KERNELS every
// test is skipped, and the program says so.
#pragma once

#include "support/ptx_test.hpp"

namespace heddle::test {

int run_zluda_tests(int argc, char** argv, const DeviceFactory& factory);

}  // namespace heddle::test
