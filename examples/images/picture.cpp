#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <stdexcept>

namespace images {
namespace {

void write(const std::string& path, int width, int height, png_uint_32 format, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  image.flags = PNG_IMAGE_FLAG_FAST;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr) == 0) {
    throw std::runtime_error("cannot write " + path + ": " + image.message);
  }
}

}  // namespace

Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) {
    throw std::runtime_error("cannot read " + path + ": " + image.message);
  }
  image.format = PNG_FORMAT_RGBA;
  if (image.width > 20'000 || image.height > 20'000) {
    png_image_free(&image);
    throw std::runtime_error(path + " is larger than 20000 x 20000 pixels");
  }
  Picture picture(static_cast<int>(image.width), static_cast<int>(image.height));
  if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0) {
    throw std::runtime_error("cannot read " + path + ": " + image.message);
  }
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  write(path, picture.width, picture.height, PNG_FORMAT_RGBA, picture.pixels.data());
}

void write_png(const std::string& path, const Gray& picture) {
  write(path, picture.width, picture.height, PNG_FORMAT_GRAY, picture.pixels.data());
}

Picture in_colour(const Gray& picture) {
  Picture colour(picture.width, picture.height);
  std::transform(picture.pixels.begin(), picture.pixels.end(), colour.pixels.begin(),
                 [](std::uint8_t v) { return Rgba{v, v, v, 255}; });
  return colour;
}

Picture enlarged(const Picture& picture, int factor) {
  if (factor == 1) return picture;
  Picture large(picture.width * factor, picture.height * factor);
  const auto mix = [](int a, int b, float t) { return static_cast<std::uint8_t>(a + (b - a) * t + 0.5f); };
  for (int y = 0; y < large.height; ++y) {
    const float v = std::clamp((y + 0.5f) / factor - 0.5f, 0.0f, picture.height - 1.0f);
    const int y0 = static_cast<int>(v), y1 = std::min(y0 + 1, picture.height - 1);
    for (int x = 0; x < large.width; ++x) {
      const float u = std::clamp((x + 0.5f) / factor - 0.5f, 0.0f, picture.width - 1.0f);
      const int x0 = static_cast<int>(u), x1 = std::min(x0 + 1, picture.width - 1);
      const Rgba &a = picture.at(x0, y0), &b = picture.at(x1, y0), &c = picture.at(x0, y1), &d = picture.at(x1, y1);
      const float tx = u - x0, ty = v - y0;
      large.at(x, y) = {mix(mix(a.r, b.r, tx), mix(c.r, d.r, tx), ty), mix(mix(a.g, b.g, tx), mix(c.g, d.g, tx), ty),
                        mix(mix(a.b, b.b, tx), mix(c.b, d.b, tx), ty), 255};
    }
  }
  return large;
}

Picture resized(const Picture& picture, int width, int height) {
  Picture small(width, height);
  for (int y = 0; y < height; ++y) {
    const int y0 = y * picture.height / height, y1 = std::max(y0 + 1, (y + 1) * picture.height / height);
    for (int x = 0; x < width; ++x) {
      const int x0 = x * picture.width / width, x1 = std::max(x0 + 1, (x + 1) * picture.width / width);
      long r = 0, g = 0, b = 0;
      for (int v = y0; v < y1; ++v) {
        for (int u = x0; u < x1; ++u) {
          const Rgba& p = picture.at(u, v);
          r += p.r;
          g += p.g;
          b += p.b;
        }
      }
      const long count = static_cast<long>(x1 - x0) * (y1 - y0);
      const auto mean = [count](long sum) { return static_cast<std::uint8_t>(sum / count); };
      small.at(x, y) = {mean(r), mean(g), mean(b), 255};
    }
  }
  return small;
}

}  // namespace images
