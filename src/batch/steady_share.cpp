#include "batch/steady_share.hpp"

#include <algorithm>

namespace heddle::batch {

SteadyShare::SteadyShare(const Share& share, unsigned processors)
    : share_(share), round_(std::uint64_t{share.blocks} * processors), next_(share.first) {}

BlockRange SteadyShare::take() {
  const std::uint64_t all = kernel().blocks();
  const std::uint64_t blocks = std::min(share_.plan.blocks, all);
  if (next_ + blocks > all) next_ = 0;
  const BlockRange range{next_, next_ + blocks};
  next_ += blocks;
  in_flight_ += blocks;
  return range;
}

void SteadyShare::end(std::uint64_t blocks) {
  in_flight_ -= blocks;
  ended_ += blocks;
}

void SteadyShare::see(std::uint64_t now, std::uint64_t more, bool warm) {
  if (ended_ + more == last_) return;
  last_ = ended_ + more;
  last_at_ = std::max(last_at_, now);  // ends may be seen in another order
  if (first_ == 0 && warm) {
    first_ = last_;
    first_at_ = now;
  }
}

SteadyShare* emptiest(std::vector<SteadyShare>& shares) {
  SteadyShare* least = nullptr;
  for (SteadyShare& share : shares)
    if (share.takes() && (!least || share.filled() < least->filled())) least = &share;
  return least;
}

bool all_warm(const std::vector<SteadyShare>& shares) {
  return std::all_of(shares.begin(), shares.end(), [](const SteadyShare& share) { return share.has_ended_a_round(); });
}

}  // namespace heddle::batch
