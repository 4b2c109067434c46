#include "device/sim/policies/formation/order.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {
namespace {

int threads_of(const FormedWarp& warp) { return std::popcount(warp.mask); }

// The first warp by a rule that never calls two of them equal, as arrivals differ.
template <class Before>
FormedWarp* first(const WarpPool& pool, Before&& precedes) {
  const auto warps = pool.warps();
  const auto found = std::min_element(warps.begin(), warps.end(), [&](const FormedWarp* a, const FormedWarp* b) {
    if (precedes(*a, *b)) return true;
    if (precedes(*b, *a)) return false;
    return a->arrival < b->arrival;
  });
  return found == warps.end() ? nullptr : *found;
}

class Timestamp final : public FormationOrder {
 public:
  FormedWarp* next(const WarpPool& pool) override {
    return first(pool, [](const FormedWarp&, const FormedWarp&) { return false; });
  }
};

class SmallestPc final : public FormationOrder {
 public:
  FormedWarp* next(const WarpPool& pool) override {
    return first(pool, [](const FormedWarp& a, const FormedWarp& b) {
      return a.at != b.at ? before(a.at, b.at) : threads_of(a) > threads_of(b);
    });
  }
};

// Majority: all warps of the chosen place issue before another is chosen (section 4.4). Minority: chosen anew each
// time, so that the threads which were left behind catch up.
class ByCount final : public FormationOrder {
 public:
  explicit ByCount(bool most) : most_(most) {}
  FormedWarp* next(const WarpPool& pool) override {
    if (most_)
      if (FormedWarp* const warp = of(pool, current_)) return warp;
    places_.clear();
    for (const FormedWarp* warp : pool.warps()) {
      const auto same =
          std::find_if(places_.begin(), places_.end(), [&](const Count& c) { return c.place == warp->at; });
      if (same == places_.end())
        places_.push_back({warp->at, threads_of(*warp)});
      else
        same->threads += threads_of(*warp);
    }
    const auto chosen = std::min_element(places_.begin(), places_.end(), [&](const Count& a, const Count& b) {
      if (a.threads != b.threads) return most_ ? a.threads > b.threads : a.threads < b.threads;
      return before(a.place, b.place);
    });
    if (chosen == places_.end()) return nullptr;
    current_ = chosen->place;
    return of(pool, current_);
  }

 private:
  struct Count {
    Place place;
    int threads;
  };
  static FormedWarp* of(const WarpPool& pool, const Place& place) {
    FormedWarp* oldest = nullptr;
    for (FormedWarp* warp : pool.warps())
      if (warp->at == place && (!oldest || warp->arrival < oldest->arrival)) oldest = warp;
    return oldest;
  }
  const bool most_;
  Place current_;
  std::vector<Count> places_;
};

class PdomPriority final : public FormationOrder {
 public:
  explicit PdomPriority(OrderContext context) : joins_(std::move(context.joins)), passed_(context.threads) {}
  void inserted(const WarpPool::Touched& touched) override {
    FormedWarp& warp = *touched.warp;
    std::uint32_t most = 0;
    for (LaneMask lanes = warp.mask; lanes != 0; lanes &= lanes - 1)
      most = std::max(most, passed_[warp.lanes[static_cast<unsigned>(std::countr_zero(lanes))]->linear]);
    warp.passed = most + (joins_(warp.at) ? 1 : 0);
  }
  FormedWarp* next(const WarpPool& pool) override {
    return first(pool, [](const FormedWarp& a, const FormedWarp& b) {
      return a.passed != b.passed ? a.passed < b.passed : threads_of(a) > threads_of(b);
    });
  }
  void issues(FormedWarp& warp) override {
    for (LaneMask lanes = warp.mask; lanes != 0; lanes &= lanes - 1)
      passed_[warp.lanes[static_cast<unsigned>(std::countr_zero(lanes))]->linear] = warp.passed;
  }

 private:
  std::function<bool(const Place&)> joins_;
  std::vector<std::uint32_t> passed_;  // joins, by thread
};

}  // namespace

std::unique_ptr<FormationOrder> make_timestamp_order() { return std::make_unique<Timestamp>(); }
std::unique_ptr<FormationOrder> make_pc_order() { return std::make_unique<SmallestPc>(); }
std::unique_ptr<FormationOrder> make_count_order(bool most) { return std::make_unique<ByCount>(most); }
std::unique_ptr<FormationOrder> make_pdom_order(OrderContext context) {
  return std::make_unique<PdomPriority>(std::move(context));
}

}  // namespace heddle::device::sim
