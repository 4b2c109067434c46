// Where benchmarks find what they measure, and put what they have measured.
#pragma once

#include <filesystem>

namespace heddle::bench {

// The folder that has bench/, tests/ and examples/: $HEDDLE_SOURCE, else the archive of script/bundle that this program
// lies in (bench/bin/NAME), else the source that it was built from.
std::filesystem::path source_root();
// $HEDDLE_RESULTS; else build/results in the source, or, for a program of an archive, results in the working folder.
std::filesystem::path results_folder();

}  // namespace heddle::bench
