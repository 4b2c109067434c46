#include "photo.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "base/fail.hpp"

namespace heddle::bench::marrow {

Photo read_pgm(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) base::fail(ErrorCode::io_error, "cannot read {}", file.string());
  std::string magic;
  int width = 0, height = 0, most = 0;
  stream >> magic >> width >> height >> most;
  stream.get();
  if (magic != "P5" || width <= 0 || height <= 0 || most != 255)
    base::fail(ErrorCode::parse_error, "{} is no binary PGM picture of 8 bits", file.string());
  std::vector<unsigned char> bytes(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) base::fail(ErrorCode::parse_error, "{} ends early", file.string());
  Photo photo{width, height, std::vector<float>(bytes.size())};
  std::transform(bytes.begin(), bytes.end(), photo.grey.begin(),
                 [](unsigned char byte) { return static_cast<float>(byte) / 255.0f; });
  return photo;
}

Photo resized(const Photo& photo, int width, int height) {
  Photo made{width, height, {}};
  made.grey.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const auto at = [&](int x, int y) {
    return photo.grey[static_cast<std::size_t>(std::min(y, photo.height - 1)) * static_cast<std::size_t>(photo.width) +
                      static_cast<std::size_t>(std::min(x, photo.width - 1))];
  };
  for (int y = 0; y < height; ++y) {
    const float v = static_cast<float>(y) * static_cast<float>(photo.height) / static_cast<float>(height);
    const int above = static_cast<int>(v);
    const float down = v - static_cast<float>(above);
    for (int x = 0; x < width; ++x) {
      const float u = static_cast<float>(x) * static_cast<float>(photo.width) / static_cast<float>(width);
      const int left = static_cast<int>(u);
      const float right = u - static_cast<float>(left);
      made.grey.push_back((1 - down) * ((1 - right) * at(left, above) + right * at(left + 1, above)) +
                          down * ((1 - right) * at(left, above + 1) + right * at(left + 1, above + 1)));
    }
  }
  return made;
}

}  // namespace heddle::bench::marrow
