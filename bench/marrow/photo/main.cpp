// Makes a grey PGM file of a PNG file, when the benchmark is built: the machine that it runs on needs no libpng.
// Usage: marrow_photo FROM.png TO.pgm
#include <cstdio>
#include <exception>
#include <fstream>
#include <vector>

#include "picture.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s FROM.png TO.pgm\n", arguments[0]);
    return 2;
  }
  try {
    const images::Picture picture = images::read_png(arguments[1]);
    std::vector<char> grey;
    for (const images::Rgba& pixel : picture.pixels)  // ITU-R BT.601
      grey.push_back(static_cast<char>((299 * pixel.r + 587 * pixel.g + 114 * pixel.b + 500) / 1000));
    std::ofstream file(arguments[2], std::ios::binary);
    file << "P5\n" << picture.width << ' ' << picture.height << "\n255\n";
    file.write(grey.data(), static_cast<std::streamsize>(grey.size()));
    file.close();
    if (!file) throw std::runtime_error(std::string("cannot write ") + arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
