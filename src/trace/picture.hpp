// A timeline as a picture: queues as rows, commands as boxes, dependences as curves.
#pragma once

#include <string>

#include "trace/timeline.hpp"

namespace heddle::trace {

// What a picture holds at most, whatever the length of the timeline. The rest is merged or left out, and the picture
// says how much.
struct PictureLimits {
  std::size_t rows = 40, curves = 1500;
  double width = 1200;  // of the picture, in pixels
};

// An SVG document, readable on the light background that it contains. Boxes that are too narrow to distinguish become
// one, with their number in its tooltip. Dependences within a queue are not drawn if they are only the queue's order.
std::string picture(const Timeline& timeline, const PictureLimits& limits = {});

}  // namespace heddle::trace
