// A grey photograph for the filters, of any size.
#pragma once

#include <filesystem>
#include <vector>

namespace heddle::bench::marrow {

struct Photo {
  int width = 0, height = 0;
  std::vector<float> grey;  // row by row, 0 to 1
};

// Reads a binary PGM file of 8 bits. Throws io_error, parse_error.
Photo read_pgm(const std::filesystem::path& file);
// Another size, interpolated linearly.
Photo resized(const Photo& photo, int width, int height);

}  // namespace heddle::bench::marrow
