// Letters on a picture.
#pragma once

#include <string>

#include "picture.hpp"

namespace images {

// Letters of 5 x 9 dots, `scale` pixels each, cut off at the page's edges. Characters without a glyph are blanks.
void draw_text(Picture& page, int left, int top, int scale, Rgba colour, const std::string& text);
int text_height(int scale);

}  // namespace images
