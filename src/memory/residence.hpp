// Which copies of an array's bytes are current.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>

namespace heddle::memory {

// A memory that may have a copy of the bytes: those of devices are numbered from 0, the host's follows. At most 64.
using Space = unsigned;
using Spaces = std::uint64_t;  // a set: bit s for space s

inline Spaces only(Space space) { return Spaces{1} << space; }

// For every byte of one array, the spaces whose copy of it is current. Bytes that are current nowhere have never been
// written; their value is zero. One thread at a time.
class Residence {
 public:
  explicit Residence(std::uint64_t size);

  // Calls f(begin, end, spaces) for each piece of [begin, end) that is not current in `space`, in order. `spaces`:
  // where the piece is current. Neighbours with the same spaces are one piece.
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
  // The spaces in which all of [begin, end) is current.
  Spaces having(std::uint64_t begin, std::uint64_t end) const {
    if (is_one(begin, end)) [[likely]]
      return pieces_.front().spaces;
    return having_in_pieces(begin, end);
  }
  // The spaces in which some of it is current.
  Spaces having_some(std::uint64_t begin, std::uint64_t end) const;

  // Records that a copy of the bytes to the space, or a modification there, is submitted. For later tasks they are
  // current.
  void copied(Space space, std::uint64_t begin, std::uint64_t end);
  void modified(Space space, std::uint64_t begin, std::uint64_t end) {
    if (is_whole(begin, end)) [[likely]]
      pieces_.front().spaces = only(space);
    else
      modified_in_pieces(space, begin, end);
  }

  // Records that the bytes in the space are no longer current.
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
  bool is_whole(std::uint64_t begin, std::uint64_t end) const {
    return pieces_.size() == 1 && begin == 0 && end >= pieces_.front().end;
  }
  void modified_in_pieces(Space space, std::uint64_t begin, std::uint64_t end);
  Spaces having_in_pieces(std::uint64_t begin, std::uint64_t end) const;
  std::size_t find(std::uint64_t at) const;
  void cut_at(std::uint64_t at);
  template <class Change>
  void change(std::uint64_t begin, std::uint64_t end, const Change& change);
  void join(std::size_t first, std::size_t last);

  boost::container::small_vector<Piece, 1> pieces_;  // sorted, without gaps; neighbours differ
};

}  // namespace heddle::memory
