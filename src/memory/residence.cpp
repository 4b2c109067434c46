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

template <class Change>
void Residence::change(std::uint64_t begin, std::uint64_t end, const Change& change) {
  if (begin >= end) return;
  if (is_whole(begin, end)) {
    pieces_.front().spaces = change(pieces_.front().spaces);
    return;
  }
  cut_at(begin);
  cut_at(end);
  const std::size_t first = find(begin), last = find(end);
  for (std::size_t i = first; i < last; ++i) pieces_[i].spaces = change(pieces_[i].spaces);
  join(first > 0 ? first - 1 : 0, std::min(last + 1, pieces_.size()));
}

void Residence::copied(Space space, std::uint64_t begin, std::uint64_t end) {
  change(begin, end, [space](Spaces spaces) { return spaces | only(space); });
}
void Residence::modified_in_pieces(Space space, std::uint64_t begin, std::uint64_t end) {
  change(begin, end, [space](Spaces) { return only(space); });
}
void Residence::dropped(Space space, std::uint64_t begin, std::uint64_t end) {
  change(begin, end, [space](Spaces spaces) { return spaces & ~only(space); });
}

// Makes neighbours that have become alike one.
void Residence::join(std::size_t first, std::size_t last) {
  if (first == last) return;
  std::size_t kept = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    if (pieces_[kept].spaces == pieces_[i].spaces) {
      pieces_[kept].end = pieces_[i].end;
    } else if (++kept != i) {
      pieces_[kept] = pieces_[i];
    }
  }
  pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
                pieces_.begin() + static_cast<std::ptrdiff_t>(last));
}

}  // namespace heddle::memory
