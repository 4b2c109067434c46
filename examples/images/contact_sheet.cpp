#include "contact_sheet.hpp"

#include <algorithm>

#include "text.hpp"

namespace images {
namespace {

constexpr int columns = 4, cell_width = 400, cell_height = 267, margin = 16, header = 84, caption = 52;
constexpr int detail_size = 120, frame = 2;
// The detail's centre, and its side as a part of the picture's width.
constexpr double detail_x = 0.61, detail_y = 0.71, detail_part = 0.125;
constexpr Rgba paper{250, 250, 248, 255}, ink{30, 30, 30, 255}, pale{110, 110, 110, 255}, white{255, 255, 255, 255};

void paste(Picture& page, int left, int top, const Picture& picture) {
  for (int y = 0; y < picture.height; ++y) {
    std::copy_n(&picture.at(0, y), picture.width, &page.at(left, top + y));
  }
}

Picture part(const Picture& picture, int left, int top, int width, int height) {
  Picture cut(width, height);
  for (int y = 0; y < height; ++y) std::copy_n(&picture.at(left, top + y), width, &cut.at(0, y));
  return cut;
}

// A square of the picture, enlarged, within a frame, in the lower right corner of the cell that starts at (left, top).
void paste_detail(Picture& page, int left, int top, const Picture& picture) {
  const int side =
      std::clamp(static_cast<int>(picture.width * detail_part), 1, std::min(picture.width, picture.height));
  const auto first = [side](int size, double centre) {
    return std::clamp(static_cast<int>(size * centre) - side / 2, 0, size - side);
  };
  Picture framed(detail_size + 2 * frame, detail_size + 2 * frame);
  std::fill(framed.pixels.begin(), framed.pixels.end(), white);
  const Picture square = part(picture, first(picture.width, detail_x), first(picture.height, detail_y), side, side);
  paste(framed, frame, frame, resized(square, detail_size, detail_size));
  paste(page, left + cell_width - framed.width, top + cell_height - framed.height, framed);
}

void paste_cell(Picture& page, int left, int top, const NamedPicture& named, bool with_detail) {
  const Picture& picture = named.picture;
  const double scale =
      std::min(static_cast<double>(cell_width) / picture.width, static_cast<double>(cell_height) / picture.height);
  const Picture small = resized(picture, std::max(1, static_cast<int>(picture.width * scale + 0.5)),
                                std::max(1, static_cast<int>(picture.height * scale + 0.5)));
  paste(page, left + (cell_width - small.width) / 2, top + (cell_height - small.height) / 2, small);
  if (with_detail) paste_detail(page, left, top, picture);
  draw_text(page, left, top + cell_height + 6, 2, ink, named.name);
  draw_text(page, left, top + cell_height + 6 + text_height(2) + 2, 2, pale, named.caption);
}

}  // namespace

Picture contact_sheet(const std::string& title, const std::string& line, const std::vector<NamedPicture>& pictures) {
  const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  Picture page(columns * (cell_width + margin) + margin, header + rows * (cell_height + caption + margin));
  std::fill(page.pixels.begin(), page.pixels.end(), paper);
  draw_text(page, margin, 14, 4, ink, title);
  draw_text(page, margin, 56, 2, pale, line);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    // Of a picture that is smaller than its cell, every pixel can be seen anyway.
    const int width = pictures[i].picture.width;
    const bool with_detail = width == pictures[0].picture.width && width > cell_width;
    paste_cell(page, margin + column * (cell_width + margin), header + row * (cell_height + caption + margin),
               pictures[i], with_detail);
  }
  return page;
}

}  // namespace images
