#include "memory/residence.hpp"

#include <algorithm>

namespace heddle::memory {

Residence::Residence(std::uint64_t size) {
  if (size > 0) pieces_.push_back({0, size, 0});
}

std::size_t Residence::find(std::uint64_t at) const {
  if (pieces_.size() == 1) return at < pieces_.front().end ? 0 : 1;
  const auto found =
      std::upper_bound(pieces_.begin(), pieces_.end(), at, [](std::uint64_t a, const Piece& p) { return a < p.end; });
  return static_cast<std::size_t>(found - pieces_.begin());
}

Spaces Residence::having_in_pieces(std::uint64_t begin, std::uint64_t end) const {
  Spaces all = ~Spaces{0};
  for (std::size_t i = find(begin); i < pieces_.size() && pieces_[i].begin < end; ++i) all &= pieces_[i].spaces;
  return all;
}

Spaces Residence::having_some(std::uint64_t begin, std::uint64_t end) const {
  Spaces some = 0;
  for (std::size_t i = find(begin); i < pieces_.size() && pieces_[i].begin < end; ++i) some |= pieces_[i].spaces;
  return some;
}

void Residence::cut_at(std::uint64_t at) {
  const std::size_t i = find(at);
  if (i == pieces_.size() || pieces_[i].begin == at) return;
  Piece second = pieces_[i];
  pieces_[i].end = second.begin = at;
  pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(i) + 1, second);
}

void Residence::set(std::uint64_t begin, std::uint64_t end, Spaces spaces, bool alone) {
  if (begin >= end) return;
  if (pieces_.size() == 1 && begin == 0 && end >= pieces_.front().end) {
    Spaces& all = pieces_.front().spaces;
    all = alone ? spaces : all | spaces;
    return;
  }
  cut_at(begin);
  cut_at(end);
  const std::size_t first = find(begin), last = find(end);
  for (std::size_t i = first; i < last; ++i) pieces_[i].spaces = alone ? spaces : pieces_[i].spaces | spaces;
  const std::size_t from = first > 0 ? first - 1 : 0, to = std::min(last + 1, pieces_.size());
  if (from == to) return;
  std::size_t kept = from;
  for (std::size_t i = from + 1; i < to; ++i) {
    if (pieces_[kept].spaces == pieces_[i].spaces) {
      pieces_[kept].end = pieces_[i].end;
    } else if (++kept != i) {
      pieces_[kept] = pieces_[i];
    }
  }
  pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
                pieces_.begin() + static_cast<std::ptrdiff_t>(to));
}

}  // namespace heddle::memory
