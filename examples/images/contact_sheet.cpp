#include "contact_sheet.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>

namespace images {
namespace {

constexpr int columns = 4, cell_width = 300, cell_height = 200, margin = 12, caption = 26, letter_scale = 3;

// Letters of 3 x 5 dots, rows from the top, three bits each.
constexpr std::array<std::uint16_t, 26> letters = {
    0b010'101'111'101'101, 0b110'101'110'101'110, 0b011'100'100'100'011, 0b110'101'101'101'110, 0b111'100'110'100'111,
    0b111'100'110'100'100, 0b011'100'101'101'011, 0b101'101'111'101'101, 0b111'010'010'010'111, 0b001'001'001'101'010,
    0b101'101'110'101'101, 0b100'100'100'100'111, 0b101'111'111'101'101, 0b110'101'101'101'101, 0b010'101'101'101'010,
    0b110'101'110'100'100, 0b010'101'101'110'011, 0b110'101'110'101'101, 0b011'100'010'001'110, 0b111'010'010'010'010,
    0b101'101'101'101'111, 0b101'101'101'101'010, 0b101'101'111'111'101, 0b101'101'010'101'101, 0b101'101'010'010'010,
    0b111'001'010'100'111};

void draw_text(Picture& page, int left, int top, const std::string& text) {
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      const std::uint16_t dots = letters[std::tolower(static_cast<unsigned char>(c)) - 'a'];
      for (int y = 0; y < 5 * letter_scale; ++y) {
        for (int x = 0; x < 3 * letter_scale; ++x) {
          const int dot = 14 - (y / letter_scale * 3 + x / letter_scale);
          if ((dots >> dot & 1) != 0 && left + x < page.width) page.at(left + x, top + y) = {40, 40, 40, 255};
        }
      }
    }
    left += 4 * letter_scale;
  }
}

// Each pixel of the small picture is the mean of the pixels it stands for.
void draw_scaled(Picture& page, int left, int top, const Picture& picture) {
  const double scale = std::min(static_cast<double>(cell_width) / picture.width, static_cast<double>(cell_height) / picture.height);
  const int width = std::max(1, static_cast<int>(picture.width * scale)), height = std::max(1, static_cast<int>(picture.height * scale));
  left += (cell_width - width) / 2;
  top += (cell_height - height) / 2;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int x0 = x * picture.width / width, x1 = std::max(x0 + 1, (x + 1) * picture.width / width);
      const int y0 = y * picture.height / height, y1 = std::max(y0 + 1, (y + 1) * picture.height / height);
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
      page.at(left + x, top + y) = {mean(r), mean(g), mean(b), 255};
    }
  }
}

}  // namespace

Picture contact_sheet(const std::vector<NamedPicture>& pictures) {
  const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  Picture page(columns * (cell_width + margin) + margin, rows * (cell_height + caption + margin) + margin);
  std::fill(page.pixels.begin(), page.pixels.end(), Rgba{245, 245, 245, 255});
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    const int left = margin + column * (cell_width + margin), top = margin + row * (cell_height + caption + margin);
    draw_scaled(page, left, top, pictures[i].picture);
    draw_text(page, left, top + cell_height + 6, pictures[i].name);
  }
  return page;
}

}  // namespace images
