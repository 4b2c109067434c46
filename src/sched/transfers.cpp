#include "sched/transfers.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstring>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::sched {

using graph::Access;
using graph::Mode;
using memory::Array;
using memory::Space;
using memory::Spaces;

// By the fastest link where links are known. Else devices are nearer to each other than to the host; what the host
// reaches comes last.
Space Transfers::source(const Array& array, Spaces spaces, Space to) const {
  Space last = 0;
  if (const LinkTable* const links = links_()) {
    double least = 0;
    for (Space space = 0; space < array.spaces(); ++space) {
      if (!(spaces & memory::only(space))) continue;
      const double each = links->seconds_per_byte(space, to);
      if (least > 0 && each >= least) continue;
      least = each;
      last = space;
    }
    return last;
  }
  for (Space space = 0; space < array.spaces(); ++space) {
    if (!(spaces & memory::only(space))) continue;
    if (array.reachable(space) == nullptr) return space;
    last = space;
  }
  return last;
}

// Of bytes that have never been written. A host that wants them fills them itself where it can.
void Transfers::fill(Array& array, Space space, std::uint64_t begin, std::uint64_t end, bool for_host) {
  if (void* const host = for_host ? array.reachable(space) : nullptr) {
    std::memset(static_cast<std::byte*>(host) + begin, 0, end - begin);
    return;
  }
  const device::Span target = array.device_span(space, begin, end);
  const Access written = array.access(space, Mode::write, begin, end);
  scheduler_.submit(space, {&written, 1}, [&](device::Queue& queue) { queue.fill(target, 0, 1); });
}

// The device that has its own memory copies: the other may not reach it.
void Transfers::move(Array& array, Space from, Space to, std::uint64_t begin, std::uint64_t end, CopyPurpose purpose) {
  const Space host = array.host();
  const bool from_there = from != host && (to == host || (!array.reachable(from) && array.reachable(to)));
  const Access accesses[] = {array.access(from, Mode::read, begin, end), array.access(to, Mode::write, begin, end)};
  early_.copy(from_there ? from : to, accesses, array.span(to, begin, end), array.span(from, begin, end), purpose,
              from == host);
  Moves& moves = moves_[{from, to}];
  ++moves.copies;
  moves.bytes += end - begin;
}

void Transfers::copy_pieces(Array& array, Space space, std::uint64_t begin, std::uint64_t end, bool for_host,
                            CopyPurpose purpose) {
  struct Piece {
    std::uint64_t begin, end;
    Spaces spaces;
  };
  boost::container::small_vector<Piece, 2> pieces;
  array.residence().missing(space, begin, end,
                            [&](std::uint64_t b, std::uint64_t e, Spaces spaces) { pieces.push_back({b, e, spaces}); });
  for (const Piece& piece : pieces) {
    if (piece.spaces == 0)
      fill(array, space, piece.begin, piece.end, for_host);
    else
      move(array, source(array, piece.spaces, space), space, piece.begin, piece.end, purpose);
    array.copied(space, piece.begin, piece.end);
  }
}

void Transfers::write_back(Array& array, Space space) {
  struct Piece {
    std::uint64_t begin, end;
  };
  boost::container::small_vector<Piece, 2> pieces;
  array.residence().missing(array.host(), 0, array.bytes(), [&](std::uint64_t b, std::uint64_t e, Spaces spaces) {
    if (spaces == memory::only(space)) pieces.push_back({b, e});
  });
  for (const Piece& piece : pieces) {
    move(array, space, array.host(), piece.begin, piece.end, CopyPurpose::before);
    array.copied(array.host(), piece.begin, piece.end);
  }
}

void Transfers::copy_back(Array& array) {
  memory::ReadBack& expected = array.read_back();
  // A launch whose last blocks are held will ask again; a call that is open may use other bytes of the array.
  if (!expected.due() || array.partial_uses > 0 || array.open_uses > 0) return;
  expected.start();
  const Space space = space_for_host(array, expected.begin(), expected.end());
  if (!array.allocated(space)) return;  // the host asks, and gets memory then
  try {
    copy_missing(array, space, expected.begin(), expected.end(), false);
    expected.made();
  } catch (const Error& error) {
    base::log_debug("results are not copied to the host before it asks for them: {}", error.what());
  }
}

Space Transfers::space_for_host(const Array& array, std::uint64_t begin, std::uint64_t end) const {
  const Space host = array.host();
  Space fits = host;
  for (Space space = 0; space < host; ++space) {
    if (!gives_to_host(array, space)) {
      if (array.allocated(space) && !array.residence().having(begin, end)) return host;
      continue;
    }
    if (array.residence().current(space, begin, end)) return space;
    if (fits == host) fits = space;
  }
  if (array.residence().current(host, begin, end) && array.reachable(host)) return host;
  for (Space space = 0; space < host; ++space)
    if (array.allocated(space) && !gives_to_host(array, space)) return host;
  return fits;
}

}  // namespace heddle::sched
