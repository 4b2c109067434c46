#include "ptx/rewrite/range_entry.hpp"

namespace heddle::ptx {

std::string_view name(RangeForm form) {
  switch (form) {
    case RangeForm::box: return "box";
    case RangeForm::linear: return "linear";
    case RangeForm::prelude: return "prelude";
    case RangeForm::pool: return "pool";
  }
  return "";
}

}  // namespace heddle::ptx
