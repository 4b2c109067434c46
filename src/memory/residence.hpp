// Which copies of an array's bytes are current.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>

namespace heddle::memory {

// A place where a copy of the bytes may be: devices are numbered from 0, the host is after them. At most 64.
using Space = unsigned;
using Spaces = std::uint64_t;  // a set: bit s for space s

inline Spaces only(Space space) { return Spaces{1} << space; }

// For every byte of one array the spaces whose copy of it is current. Bytes that are current nowhere have never been
// written: they are zeros. One thread at a time.
class Residence {
 public:
  explicit Residence(std::uint64_t size);

  // Calls f(begin, end, spaces) for each piece of [begin, end) that is not current in `space`, in order; pieces with
  // the same spaces are one.
  template <class F>
  void missing(Space space, std::uint64_t begin, std::uint64_t end, F&& f) const {
    for (std::size_t i = find(begin); i < pieces_.size() && pieces_[i].begin < end; ++i) {
      const Piece& piece = pieces_[i];
      if (piece.spaces & only(space)) continue;
      f(piece.begin < begin ? begin : piece.begin, piece.end < end ? piece.end : end, piece.spaces);
    }
  }
  // Calls f(bytes, spaces) for each piece of [begin, end) that is current somewhere.
  template <class F>
  void each(std::uint64_t begin, std::uint64_t end, F&& f) const {
    for (std::size_t i = find(begin); i < pieces_.size() && pieces_[i].begin < end; ++i) {
      const Piece& piece = pieces_[i];
      if (piece.spaces != 0)
        f((piece.end < end ? piece.end : end) - (piece.begin < begin ? begin : piece.begin), piece.spaces);
    }
  }
  bool current(Space space, std::uint64_t begin, std::uint64_t end) const {
    return begin >= end || (having(begin, end) & only(space)) != 0;
  }
  // The spaces that have all of [begin, end).
  Spaces having(std::uint64_t begin, std::uint64_t end) const {
    if (is_one(begin, end)) [[likely]]
      return pieces_.front().spaces;
    return having_in_pieces(begin, end);
  }
  // Those that have some of it.
  Spaces having_some(std::uint64_t begin, std::uint64_t end) const;

  // A copy of the bytes to there, or a change of them there, is submitted: later users find them current.
  void copied(Space space, std::uint64_t begin, std::uint64_t end);
  void modified(Space space, std::uint64_t begin, std::uint64_t end);

  // The copy of the bytes there no longer counts.
  void dropped(Space space, std::uint64_t begin, std::uint64_t end);

  std::uint64_t size() const { return pieces_.empty() ? 0 : pieces_.back().end; }
  std::size_t pieces() const { return pieces_.size(); }

 private:
  struct Piece {
    std::uint64_t begin, end;
    Spaces spaces;
  };
  // Most arrays are one piece, which contains the requested range.
  bool is_one(std::uint64_t begin, std::uint64_t end) const {
    return pieces_.size() == 1 && begin < end && begin < pieces_.front().end;
  }
  Spaces having_in_pieces(std::uint64_t begin, std::uint64_t end) const;
  std::size_t find(std::uint64_t at) const;
  void cut_at(std::uint64_t at);
  template <class Change>
  void change(std::uint64_t begin, std::uint64_t end, const Change& change);
  void join(std::size_t first, std::size_t last);

  boost::container::small_vector<Piece, 1> pieces_;  // sorted, without gaps; neighbours differ
};

}  // namespace heddle::memory
