// ptxas's command line, for Python packages that compile kernels to PTX, have ptxas make machine code of it, and load
// that: with this in its place they load PTX, which runs on devices that are no GPUs.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

// Checks the PTX of the input file and writes it to the file of `-o` as it is, with a zero behind it, as
// cuModuleLoadData() takes text. `--version` prints the release whose PTX Heddle reads. Other options of ptxas are
// taken and have no effect. Returns the exit code: 255 for PTX that is wrong, as ptxas; the reason is on standard
// error.
int ptxas(const std::vector<std::string>& words);

}  // namespace heddle::cli
