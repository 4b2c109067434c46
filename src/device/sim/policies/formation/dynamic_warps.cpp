// divergence=dwf: threads of the same place form warps at write-back, from all warps of the block (Dynamic Warp
// Formation, section 2.5). A thread has one instruction in flight.
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "device/sim/policies/divergence.hpp"
#include "device/sim/policies/formation/make_order.hpp"
#include "device/sim/policies/formation/order.hpp"

namespace heddle::device::sim {
namespace {

using machine::Thread;
using machine::ThreadState;

RegisterFile register_file(std::string_view name) {
  return name == "crossbar" ? RegisterFile::crossbar : name == "ideal" ? RegisterFile::ideal : RegisterFile::lane_aware;
}

// The threads that one scheduler issues.
class Former {
 public:
  Former(const DivergenceContext& context, std::vector<std::uint8_t>& homes)
      : homes_(homes),
        patience_(context.options.number("patience")),
        registers_(register_file(context.options.text("register-file"))),
        pool_(
            {context.options.number("pool"), context.options.number("lut-entries"), context.options.number("lut-ways"),
             registers_, context.options.number("home-lanes"), context.options.number("warp-width")},
            context.counts),
        order_(make_order(
            context.options.text("formation"),
            {[timing = &context.timing](const Place& place) { return timing->of(*place.code).at(place.pc).joins; },
             context.block.threads.size(), context.options.number("heap-ports"), &context.now, &context.counts})) {}

  void add(const Place& place, const machine::LaneThreads& threads, LaneMask lanes) {
    note(pool_.insert(place, threads, lanes));
    choose();
  }
  FormedWarp* head() const { return head_; }
  // The head issues.
  void take_head() {
    order_->issues(*head_);
    pool_.take(*head_);
    since_oldest_ = patience_ != 0 && oldest() != nullptr ? since_oldest_ + 1 : 0;
    yields_ = false;
    for (auto touched = pool_.refill(); !touched.empty(); touched = pool_.refill()) note(touched);
    choose();
  }
  // The oldest warp issues next.
  void yield() {
    yields_ = true;
    choose();
  }
  WarpPool& pool() { return pool_; }
  const WarpPool& pool() const { return pool_; }
  bool consistent() const { return order_->consistent(); }

 private:
  void note(std::span<const WarpPool::Touched> touched) {
    for (const WarpPool::Touched& one : touched) order_->inserted(one);
  }
  FormedWarp* oldest() const {
    FormedWarp* found = nullptr;
    for (FormedWarp* warp : pool_.warps())
      if (!found || warp->arrival < found->arrival) found = warp;
    return found;
  }
  void choose() {
    const bool impatient = patience_ != 0 && since_oldest_ >= patience_;
    head_ = yields_ || impatient ? oldest() : order_->next(pool_);
    if (impatient) since_oldest_ = 0;
    if (!head_) return;
    head_->held_until = order_->ready();
    head_->warp = head_->lanes[static_cast<unsigned>(std::countr_zero(head_->mask))]->linear / machine::warp_size;
    head_->passes = registers_ == RegisterFile::crossbar ? passes(*head_) : 1;
  }
  // How often a bank of the register file is read for the warp.
  std::uint8_t passes(const FormedWarp& warp) const {
    std::uint8_t of_home[machine::warp_size] = {};
    std::uint8_t most = 1;
    for (LaneMask lanes = warp.mask; lanes != 0; lanes &= lanes - 1)
      most = std::max(most, ++of_home[homes_[warp.lanes[static_cast<unsigned>(std::countr_zero(lanes))]->linear]]);
    return most;
  }

  const std::vector<std::uint8_t>& homes_;
  const unsigned patience_;
  const RegisterFile registers_;
  WarpPool pool_;
  std::unique_ptr<FormationOrder> order_;
  FormedWarp* head_ = nullptr;
  unsigned since_oldest_ = 0;
  bool yields_ = false;
};

class DynamicWarps final : public DivergencePolicy {
 public:
  explicit DynamicWarps(const DivergenceContext& context)
      : block_(context.block),
        lane_aware_(context.options.is("register-file", "lane-aware")),
        width_(context.options.number("warp-width")),
        home_lanes_(std::min(context.options.number("home-lanes"), width_)),
        homes_(context.block.threads.size()),
        waiting_(context.block.warps.size()) {
    for (const std::uint32_t slot : context.slots) former_of_.push_back(slot % context.pools);
    const std::uint32_t formers = *std::max_element(former_of_.begin(), former_of_.end()) + 1;
    for (std::uint32_t i = 0; i < formers; ++i) formers_.push_back(std::make_unique<Former>(context, homes_));
    for (std::uint32_t w = 0; w < block_.warps.size(); ++w)
      for (std::uint32_t first = 0; first < block_.warps[w].count; first += width_) form_first(context, w, first);
    list();
  }

  std::span<IssueGroup* const> groups() override { return heads_; }
  bool forms_warps() const override { return true; }

  bool retire(IssueGroup& group, const machine::Effects&) override {
    of(group).take_head();
    list();
    return true;
  }
  // Not used: released() is.
  bool resume(std::uint32_t, Cycle) override { return false; }

  Returned write_back(IssueGroup& group) override {
    Former& former = of(group);
    Returned result;
    machine::LaneThreads threads{};
    for (unsigned places = 0; group.mask != 0; ++places) {
      if (places == 2) {  // section 2.5: two update registers
        result.more = true;
        break;
      }
      Place place;
      if (const LaneMask lanes = next_part(group, threads, place)) former.add(place, threads, lanes);
    }
    if (!result.more) former.pool().recycle(static_cast<FormedWarp&>(group));
    list();
    result.changed = true;
    return result;
  }

  IssueGroup* released(std::uint32_t warp) override {
    FormedWarp* carrier = nullptr;
    LaneMask& waiting = waiting_[warp];
    for (LaneMask lanes = waiting; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      Thread& thread = block_.thread(block_.warps[warp], lane);
      if (thread.state == ThreadState::exited) waiting &= ~(LaneMask{1} << lane);
      if (thread.state != ThreadState::runnable) continue;
      waiting &= ~(LaneMask{1} << lane);
      if (!carrier) {
        carrier = &formers_[former_of_[warp]]->pool().fresh();
        carrier->warp = warp;
      }
      const unsigned place = lane / width_ * width_ + homes_[thread.linear];
      carrier->lanes[place] = &thread;
      carrier->mask |= LaneMask{1} << place;
    }
    return carrier;
  }

  void audit(PolicyAudit& audit) const override {
    for (const auto& former : formers_)
      former->pool().for_each([&](const machine::LaneThreads& threads, LaneMask lanes) {
        audit.holds(threads, lanes);
        for (LaneMask rest = lane_aware_ ? lanes : 0; rest != 0; rest &= rest - 1) {
          const auto lane = static_cast<unsigned>(std::countr_zero(rest));
          audit.require(homes_[threads[lane]->linear] % home_lanes_ == lane % home_lanes_,
                        "a thread of a formed warp is in its home lane");
        }
      });
    for (std::size_t w = 0; w < waiting_.size(); ++w) audit.holds(block_.warps[w].lanes, waiting_[w]);
    for (const auto& former : formers_) audit.require(former->consistent(), "the heap of places is in order");
  }

  bool yield(IssueGroup& group) override {
    of(group).yield();
    list();
    return true;
  }

 private:
  // The warp as which threads of a warp of PTX begin, from the thread `first` on.
  void form_first(const DivergenceContext& context, std::uint32_t warp, std::uint32_t first) {
    const unsigned parts = machine::warp_size / width_;
    const LaneShape shape{width_, context.sm_warps * parts};
    machine::LaneThreads threads{};
    LaneMask lanes = 0;
    for (unsigned i = 0; i < std::min(block_.warps[warp].count - first, width_); ++i) {
      Thread& thread = block_.thread(block_.warps[warp], first + i);
      const unsigned home = context.lanes.lane(i, context.slots[warp] * parts + first / width_, shape);
      homes_[thread.linear] = static_cast<std::uint8_t>(home);
      threads[home] = &thread;
      lanes |= LaneMask{1} << home;
    }
    formers_[former_of_[warp]]->add(place_of(block_.thread(block_.warps[warp], first)), threads, lanes);
  }

  Former& of(const IssueGroup& group) { return *formers_[former_of_[group.warp]]; }

  // Takes the threads of one place out of the group, by home lane. Those that wait or have exited are taken, too.
  LaneMask next_part(IssueGroup& group, machine::LaneThreads& threads, Place& place) {
    LaneMask part = 0;
    for (LaneMask lanes = group.mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      Thread& thread = *(*group.threads)[lane];
      const LaneMask bit = LaneMask{1} << lane;
      if (thread.state != ThreadState::runnable) {
        group.mask &= ~bit;
        if (thread.state != ThreadState::exited)
          waiting_[thread.linear / machine::warp_size] |= LaneMask{1} << thread.lane();
        continue;
      }
      const unsigned home = lane_aware_ && home_lanes_ == width_ ? homes_[thread.linear] : lane % width_;
      if (part != 0 && (place_of(thread) != place || ((part >> home) & 1) != 0)) continue;
      place = place_of(thread);
      threads[home] = &thread;
      part |= LaneMask{1} << home;
      group.mask &= ~bit;
    }
    return part;
  }

  void list() {
    heads_.clear();
    for (const auto& former : formers_)
      if (former->head()) heads_.push_back(former->head());
  }

  machine::Block& block_;
  const bool lane_aware_;
  const unsigned width_, home_lanes_;
  std::vector<std::uint8_t> homes_;       // lane of the SIMD unit, by thread
  std::vector<std::uint32_t> former_of_;  // by warp
  std::vector<std::unique_ptr<Former>> formers_;
  std::vector<IssueGroup*> heads_;
  std::vector<LaneMask> waiting_;  // lanes at barriers and warp operations, by warp
};

}  // namespace

std::unique_ptr<DivergencePolicy> make_dynamic_warps(const DivergenceContext& context) {
  return std::make_unique<DynamicWarps>(context);
}

}  // namespace heddle::device::sim
