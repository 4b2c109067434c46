#include "tuning/share_search.hpp"

#include <algorithm>

namespace heddle::tuning {

ShareSearch::ShareSearch(double centre, double transferable)
    : gpu_(std::clamp(centre - transferable / 2, 0.0, 1 - transferable)), transferable_(transferable) {}

void ShareSearch::finished_first(Side side) {
  transferable_ /= 2;
  if (side == Side::gpu) gpu_ += transferable_;
}

}  // namespace heddle::tuning
