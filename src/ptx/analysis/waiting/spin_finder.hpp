// Which loops of a function wait for other threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ptx/analysis/effects/call_effect.hpp"
#include "ptx/analysis/effects/memory_place.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/loop_slice.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/waiting/spin_loop.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

class SpinFinder {
 public:
  // All must outlive the object.
  SpinFinder(const Module& module, const Function& function, const ControlFlowGraph& cfg, const Webs& webs);

  // SpinLoop::intra_warp is left to the caller.
  std::optional<SpinLoop> find(std::uint32_t loop) const;

 private:
  bool waits_at(std::uint32_t loop, std::uint32_t i, const Slicer::Slice& slice) const;
  void add_through_memory(std::uint32_t loop, const Slicer::Slice& slice, std::vector<Awaited>& list) const;
  std::vector<std::uint32_t> finders_in(std::uint32_t loop) const;
  bool finds(std::uint32_t loop, std::uint32_t i) const;
  bool may_hold_what_was_found(std::uint32_t loop, std::uint32_t i, const Slicer::Slice& slice) const;
  Awaited awaited(std::uint32_t i) const;
  const CallEffect& effect_of(std::uint32_t call) const;

  bool load_waits(std::uint32_t loop, std::uint32_t i, const Slicer::Slice& slice) const;
  bool polls_weakly(std::uint32_t loop, std::uint32_t i) const;
  bool has_barrier(std::uint32_t loop) const;
  bool address_is_fixed(std::uint32_t loop, std::uint32_t i) const;
  bool orders_memory(std::uint32_t loop) const;
  bool atomic_waits(std::uint32_t loop, std::uint32_t i) const;
  bool computed_in(std::uint32_t loop, std::uint32_t i, std::uint16_t operand, int depth) const;
  bool stored_as_computed(std::uint32_t loop, std::uint32_t load, int depth) const;
  bool writes(std::uint32_t i, const MemoryPlace& place) const;
  std::optional<std::uint32_t> stored_just_before(std::uint32_t load, const MemoryPlace& from) const;
  bool is_same_each_turn(std::uint32_t loop, std::uint32_t definition, int depth) const;
  bool is_literal(std::uint32_t definition, int depth = 32) const;
  bool is_endless(const Slicer::Slice& slice) const;

  const Module& module_;
  const Function& function_;
  const ControlFlowGraph& cfg_;
  const Webs& webs_;
  Slicer slicer_;
  PlaceFinder places_;
  mutable std::optional<PostDominators> post_;           // made when it is asked for
  mutable std::map<std::uint32_t, CallEffect> effects_;  // by call
};

}  // namespace heddle::ptx::analysis
