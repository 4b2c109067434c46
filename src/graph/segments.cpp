#include "graph/segments.hpp"

namespace heddle::graph {
namespace {

bool same_users(const Segment& a, const Segment& b) { return a.writer == b.writer && a.readers == b.readers; }

}  // namespace

Segments::Segments(std::uint64_t size) {
  Segment& whole = all_.emplace_back();
  whole.end = size;
}

std::size_t Segments::find(std::uint64_t at) const {
  if (all_.size() == 1) return at < all_.front().end ? 0 : 1;
  const auto found =
      std::upper_bound(all_.begin(), all_.end(), at, [](std::uint64_t a, const Segment& s) { return a < s.end; });
  return static_cast<std::size_t>(found - all_.begin());
}

// Makes `at` the beginning of a segment.
void Segments::cut_at(std::uint64_t at) {
  const std::size_t i = find(at);
  if (i == all_.size() || all_[i].begin == at) return;
  Segment second = all_[i];
  second.begin = at;
  all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(second));
  all_[i].end = at;  // last, as there may have been no memory
}

Segments::Range Segments::cut(std::uint64_t begin, std::uint64_t end) {
  cut_at(begin);
  cut_at(end);
  return {find(begin), find(end)};
}

void Segments::join(std::size_t first, std::size_t last) {
  if (first == last) return;
  std::size_t kept = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    if (same_users(all_[kept], all_[i])) {
      all_[kept].end = all_[i].end;
    } else if (++kept != i) {
      all_[kept] = std::move(all_[i]);
    }
  }
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(kept) + 1, all_.begin() + static_cast<std::ptrdiff_t>(last));
}

}  // namespace heddle::graph
