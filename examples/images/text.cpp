#include "text.hpp"

#include <array>
#include <string_view>

namespace images {
namespace {

constexpr int glyph_width = 5, glyph_height = 9;  // the last two rows are below the line

// Some letters side by side, one blank column between them.
struct Letters {
  std::string_view names;
  std::array<std::string_view, glyph_height> rows;
};

// clang-format off
constexpr Letters alphabet[] = {
  {"ABCDEFGHIJKLM", {
    " ###  ####   ###  ####  ##### #####  ###  #   #  ###    ### #   # #     #   #",
    "#   # #   # #   # #   # #     #     #   # #   #   #      #  #  #  #     ## ##",
    "#   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # #",
    "##### ####  #     #   # ####  ####  #  ## #####   #      #  ##    #     # # #",
    "#   # #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   #",
    "#   # #   # #   # #   # #     #     #   # #   #   #   #  #  #  #  #     #   #",
    "#   # ####   ###  ####  ##### #      #### #   #  ###   ##   #   # ##### #   #",
    "                                                                             ",
    "                                                                             "}},
  {"NOPQRSTUVWXYZ", {
    "#   #  ###  ####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####",
    "##  # #   # #   # #   # #   # #       #   #   # #   # #   # #   # #   #     #",
    "# # # #   # #   # #   # #   # #       #   #   # #   # #   #  # #   # #     # ",
    "# # # #   # ####  #   # ####   ###    #   #   # #   # # # #   #     #     #  ",
    "#  ## #   # #     # # # # #       #   #   #   # #   # # # #  # #    #    #   ",
    "#   # #   # #     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #    ",
    "#   #  ###  #      ## # #   # ####    #    ###    #   #   # #   #   #   #####",
    "                                                                             ",
    "                                                                             "}},
  {"abcdefghijklm", {
    "      #               #         ##        #       #     ##  #      ##        ",
    "      #               #        #          #                 #       #        ",
    " ###  ####   ###   ####  ###  ####   #### ####   ##      #  #   #   #   ## # ",
    "    # #   # #     #   # #   #  #    #   # #   #   #      #  #  #    #   # # #",
    " #### #   # #     #   # #####  #    #   # #   #   #      #  ###     #   # # #",
    "#   # #   # #     #   # #      #    #   # #   #   #      #  #  #    #   # # #",
    " #### ####   ###   ####  ###   #     #### #   #  ###     #  #   #  ###  # # #",
    "                                        #             #  #                   ",
    "                                     ###               ##                    "}},
  {"nopqrstuvwxyz", {
    "                                     #                                       ",
    "                                     #                                       ",
    "####   ###  ####   #### # ##   #### ####  #   # #   # #   # #   # #   # #####",
    "#   # #   # #   # #   # ##    #      #    #   # #   # # # #  # #  #   #    # ",
    "#   # #   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #  ",
    "#   # #   # #   # #   # #         #  #    #   #  # #  # # #  # #  #   #  #   ",
    "#   #  ###  ####   #### #     ####    ###  ####   #    # #  #   #  #### #####",
    "            #         #                                               #      ",
    "            #         #                                            ###       "}},
  {"0123456789.,:", {
    " ###    #    ###  ####     #  #####  ###  #####  ###   ###                   ",
    "#   #  ##   #   #     #   ##  #     #         # #   # #   #                  ",
    "#  ##   #       #     #  # #  ####  #        #  #   # #   #               #  ",
    "# # #   #     ##   ###  #  #      # ####    #    ###   ####                  ",
    "##  #   #    #        # #####     # #   #  #    #   #     #                  ",
    "#   #   #   #         #    #  #   # #   #  #    #   #     #   #     #        ",
    " ###   ###  ##### ####     #   ###   ###   #     ###   ###    #     #     #  ",
    "                                                                   #         ",
    "                                                                             "}},
  {"-_()+/%@", {
    "               #   #              # ##  #  ### ",
    "              #     #             # ##  # #   #",
    "             #       #    #      #     #  # ###",
    " ###         #       #    #     #     #   # # #",
    "             #       #  #####  #     #    # ###",
    "              #     #     #   #     #  ## #    ",
    "      #####    #   #      #   #     #  ##  ####",
    "                                               ",
    "                                               "}},
};
// clang-format on

bool dot(char letter, int x, int y) {
  for (const Letters& letters : alphabet) {
    const std::size_t at = letters.names.find(letter);
    if (at != std::string_view::npos) return letters.rows[y][at * (glyph_width + 1) + x] == '#';
  }
  return false;
}

}  // namespace

int text_height(int scale) { return glyph_height * scale; }

void draw_text(Picture& page, int left, int top, int scale, Rgba colour, const std::string& text) {
  for (const char letter : text) {
    for (int y = 0; y < text_height(scale); ++y) {
      for (int x = 0; x < glyph_width * scale; ++x) {
        if (left + x >= page.width || top + y >= page.height) continue;
        if (dot(letter, x / scale, y / scale)) page.at(left + x, top + y) = colour;
      }
    }
    left += (glyph_width + 1) * scale;
  }
}

}  // namespace images
