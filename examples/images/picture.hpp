// Pictures in memory and as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace images {

struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
};

template <typename Pixel>
struct Raster {
  int width = 0, height = 0;
  std::vector<Pixel> pixels;  // row by row
  Raster() = default;
  Raster(int w, int h) : width(w), height(h), pixels(static_cast<std::size_t>(w) * h) {}
  Pixel& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Pixel& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
  int count() const { return width * height; }
};
using Picture = Raster<Rgba>;
using Gray = Raster<std::uint8_t>;

// Throw std::runtime_error with the file's name and libpng's reason.
Picture read_png(const std::string& path);
void write_png(const std::string& path, const Picture& picture);
void write_png(const std::string& path, const Gray& picture);

Picture in_colour(const Gray& picture);
// `factor` times as wide and high, interpolated linearly.
Picture enlarged(const Picture& picture, int factor);
// Of another size: each pixel is the mean of those it stands for, or the one it lies in.
Picture resized(const Picture& picture, int width, int height);

}  // namespace images
