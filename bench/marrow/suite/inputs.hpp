// The sizes of Marrow's benchmarks: the rows of the paper's Table 2, and a size for tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::bench::marrow {

struct Inputs {
  std::string name = {};
  int width = 0, height = 0;            // of the filters' image
  std::size_t transforms = 0;           // of 512 complex numbers
  std::size_t transforms_together = 0;  // the elementary partitioning unit; the paper's has 512 KB
  std::size_t bodies = 0, iterations = 0;
  std::size_t saxpy = 0;                              // elements
  int slice_width = 0, slice_height = 0, slices = 0;  // of the volume; a voxel has one byte
  std::size_t reduce = 0;                             // elements of each of the two arrays
};

// "tiny" is for tests; "small", "middle" and "large" are the rows of Table 2; "host" has 2 GB for Saxpy, which is the
// harder check H3. Throws invalid_argument with the known names.
Inputs inputs_named(const std::string& name);
std::vector<std::string> input_names();

}  // namespace heddle::bench::marrow
