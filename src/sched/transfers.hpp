// Brings the bytes that a task needs to where it runs: the copies and fills that memory/array.hpp says are missing,
// each a task of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "graph/access.hpp"
#include "memory/array.hpp"
#include "sched/early_start.hpp"
#include "sched/links.hpp"
#include "sched/scheduler.hpp"

namespace heddle::sched {

// Needs the core's lock.
class Transfers {
 public:
  // `links`: gives the table of bandwidths where it is known, else null.
  Transfers(Scheduler& scheduler, EarlyStarts& early, std::function<const LinkTable*()> links)
      : scheduler_(scheduler), early_(early), links_(std::move(links)) {}

  // Has bytes [begin, end) copied to a place, where the array has a copy (MemoryManager::allocate), for a task that is
  // submitted next, and returns what that task does to them there. With Mode::write nothing is copied, and what lies
  // elsewhere counts until Array::modified().
  graph::Access acquire(memory::Array& array, std::size_t place, std::uint64_t begin, std::uint64_t end,
                        graph::Mode mode, CopyPurpose purpose = CopyPurpose::before) {
    const auto space = static_cast<memory::Space>(place);
    if (mode != graph::Mode::write) copy_missing(array, space, begin, end, false, purpose);
    array.use(space, begin, end, mode, scheduler_.dag().last());
    return array.access(space, mode, begin, end);
  }
  // The host is not given memory of the space from now on: copies there may be evicted at any time, while a pointer
  // that the host was given stays good until the next launch that uses the array.
  void keep_from_host(memory::Space space) { kept_from_host_ |= memory::only(space); }
  bool gives_to_host(const memory::Array& array, memory::Space space) const {
    return (kept_from_host_ & memory::only(space)) == 0 && array.reachable(space) != nullptr;
  }

  // What the host is expected to read next begins to move, if it is known (Array::read_back).
  void copy_back(memory::Array& array);

  // The space where the host finds the bytes, or has them copied to: memory of a device that it reaches, unless a
  // device of which it does not reach the memory is involved, whose copies want memory that was made for them.
  memory::Space space_for_host(const memory::Array& array, std::uint64_t begin, std::uint64_t end) const;
  // Copies to the host, which has a copy, what is current in this space and nowhere else.
  void write_back(memory::Array& array, memory::Space space);
  // `for_host`: the host wants the bytes.
  void copy_missing(memory::Array& array, memory::Space space, std::uint64_t begin, std::uint64_t end, bool for_host,
                    CopyPurpose purpose = CopyPurpose::before) {
    if (!array.residence().current(space, begin, end)) [[unlikely]]
      copy_pieces(array, space, begin, end, for_host, purpose);
  }

 private:
  memory::Space source(const memory::Array& array, memory::Spaces spaces, memory::Space to) const;
  void copy_pieces(memory::Array& array, memory::Space space, std::uint64_t begin, std::uint64_t end, bool for_host,
                   CopyPurpose purpose);
  void fill(memory::Array& array, memory::Space space, std::uint64_t begin, std::uint64_t end, bool for_host);
  void move(memory::Array& array, memory::Space from, memory::Space to, std::uint64_t begin, std::uint64_t end,
            CopyPurpose purpose);

  Scheduler& scheduler_;
  EarlyStarts& early_;
  const std::function<const LinkTable*()> links_;
  memory::Spaces kept_from_host_ = 0;
};

}  // namespace heddle::sched
