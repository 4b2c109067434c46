// How many elements the vector operands of matrix, texture and tensor instructions have: that follows from shape, type
// and geometry, not from a vector suffix.
#pragma once

#include "ptx/form_table.hpp"

namespace heddle::ptx {

// As few and as many as there may be; {0, 0}: any number. A scalar may stand for one element.
struct ElementRange {
  unsigned least = 0, most = 0;
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

// Elements of the operand in `slot` of an instruction with these suffixes; for coordinates those of the coordinate
// list.
ElementRange element_range(const Form& form, const SlotPattern& slot, const ModifierList& modifiers, const Decoded& d);

}  // namespace heddle::ptx
