// Copies the bytes that a task needs to the place where it runs. memory/array.hpp determines which copies and fills are
// missing; each is a task of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "graph/access.hpp"
#include "memory/array.hpp"
#include "sched/early_start.hpp"
#include "sched/links.hpp"
#include "sched/scheduler.hpp"

namespace heddle::sched {

// Copies from one memory to another so far.
struct Moves {
  std::uint64_t copies = 0, bytes = 0;
};

// Needs the core's lock.
class Transfers {
 public:
  // `links`: returns the table of bandwidths if it is known, else null.
  Transfers(Scheduler& scheduler, EarlyStarts& early, std::function<const LinkTable*()> links)
      : scheduler_(scheduler), early_(early), links_(std::move(links)) {}

  // Submits the copies of bytes [begin, end) to a place for the task that is submitted next, and returns the access of
  // that task. The array must have memory there (MemoryManager::allocate). With Mode::write nothing is copied, and
  // bytes elsewhere stay current until Array::modified().
  graph::Access acquire(memory::Array& array, std::size_t place, std::uint64_t begin, std::uint64_t end,
                        graph::Mode mode, CopyPurpose purpose = CopyPurpose::before) {
    const auto space = static_cast<memory::Space>(place);
    if (mode != graph::Mode::write) copy_missing(array, space, begin, end, false, purpose);
    array.use(space, begin, end, mode, scheduler_.dag().last());
    return array.access(space, mode, begin, end);
  }
  // From now on the host gets no pointers into memory of the space. Copies there may be evicted at any time, but a
  // pointer that the host got must be valid until the next launch that uses the array.
  void keep_from_host(memory::Space space) { kept_from_host_ |= memory::only(space); }
  bool gives_to_host(const memory::Array& array, memory::Space space) const {
    return (kept_from_host_ & memory::only(space)) == 0 && array.reachable(space) != nullptr;
  }

  // Submits a copy to the host of the bytes that the host is expected to read next, if they are known
  // (Array::read_back).
  void copy_back(memory::Array& array);

  // The space in which the host accesses the bytes: a device's memory that the host can access. It is host memory if a
  // device whose memory the host cannot access is involved, as that device's copies need host memory that was allocated
  // for them.
  memory::Space space_for_host(const memory::Array& array, std::uint64_t begin, std::uint64_t end) const;
  // By source and destination; those between which nothing was copied are missing.
  const std::map<std::pair<memory::Space, memory::Space>, Moves>& moves() const { return moves_; }
  // Copies the bytes that are current only in this space to the host, which must have a copy.
  void write_back(memory::Array& array, memory::Space space);
  // Submits the copies of the bytes that are not current in the space. `for_host`: they are for the host.
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
  std::map<std::pair<memory::Space, memory::Space>, Moves> moves_;
};

}  // namespace heddle::sched
