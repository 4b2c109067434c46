// Colours of pictures and graphs: light fills with darker lines, black text on them.
#pragma once

#include <array>
#include <cstddef>

namespace heddle::trace {

struct Colour {
  const char *fill, *line;
};

inline const Colour& colour_of_queue(std::size_t number) {
  static constexpr std::array<Colour, 8> colours = {{{"#cfe2f3", "#2f6fab"},
                                                     {"#d9ead3", "#3f7f3a"},
                                                     {"#fce5cd", "#b45f06"},
                                                     {"#ead1dc", "#a64d79"},
                                                     {"#d9d2e9", "#674ea7"},
                                                     {"#fff2cc", "#9c7c00"},
                                                     {"#d0e0e3", "#45818e"},
                                                     {"#f4cccc", "#b0312e"}}};
  return colours[number % colours.size()];
}

}  // namespace heddle::trace
