// Which warp of the pool issues next: the five heuristics of Dynamic Warp Formation, section 2.7.
#pragma once

#include <functional>
#include <memory>

#include "device/sim/policies/formation/warp_pool.hpp"

namespace heddle::device::sim {

// One object for each pool.
class FormationOrder {
 public:
  virtual ~FormationOrder() = default;
  // Threads have come to a warp of the pool.
  virtual void inserted(const WarpPool::Touched& /*touched*/) {}
  // The warp that issues next; null: the pool is empty.
  virtual FormedWarp* next(const WarpPool& pool) = 0;
  // The warp issues. To be called before it leaves the pool.
  virtual void issues(FormedWarp& /*warp*/) {}
  // The first cycle in which the warp that is next can issue, as far as the choice takes time.
  virtual Cycle ready() const { return 0; }
  // What must hold of its own structures, for tests.
  virtual bool consistent() const { return true; }
};

struct OrderContext {
  std::function<bool(const Place&)> joins;  // whether threads that have parted meet again there
  std::size_t threads = 0;                  // of the block
  unsigned heap_ports = 0;                  // majority: of the heap; 0: it is in order at once
  const Cycle* now = nullptr;               // of the SM
  PolicyCounts* counts = nullptr;
};

std::unique_ptr<FormationOrder> make_timestamp_order();                 // the warp that was formed first
std::unique_ptr<FormationOrder> make_pc_order();                        // the smallest place; the fullest of it
std::unique_ptr<FormationOrder> make_count_order(bool most);            // the place with most threads; with fewest
std::unique_ptr<FormationOrder> make_pdom_order(OrderContext context);  // threads that have passed the fewest joins

// Deeper calls first, then functions by number, then places of the text.
inline bool before(const Place& a, const Place& b) {
  if (a.depth != b.depth) return a.depth > b.depth;
  if (a.code != b.code) return a.code->index < b.code->index;
  return a.pc < b.pc;
}

}  // namespace heddle::device::sim
