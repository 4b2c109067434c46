// Which values are the same in all lanes of a group, or a fixed step from lane to lane, and which branches diverge.
//
// The analysis is optimistic: it starts with nothing varying and lowers values until all is consistent. A result about
// a value holds for the lanes that run the instructions that read it. See divergence.hpp for the order in which lanes
// run.
//
// A strided web can be kept as one scalar, lane 0's value: while lanes are diverged, none of them writes a strided
// web of which others still need the previous value. (Values alone would not need that, but then two values of one web
// would have to be kept at once.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/divergence.hpp"
#include "ptx/analysis/flow/liveness.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/lane_evaluator.hpp"
#include "ptx/analysis/lanes/lane_model.hpp"
#include "ptx/analysis/lanes/lane_value.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct UniformityOptions {
  LaneModel lanes;
  // Take widening conversions of strided values to keep their form where that cannot be proved, and list them as
  // assumptions; otherwise their results are varying.
  bool assume_no_wrap = true;
  // For .func: its parameters are the same in all lanes.
  bool uniform_parameters = false;
  // takes_address_of_local() of the module, where it is known: it looks at all of the module.
  std::optional<bool> takes_address_of_local = std::nullopt;
};

// A widening whose result has the form in its LaneValue only if no lane's value of `web`, as a signed or unsigned
// integer of `width` bits, lies beyond the end of that range as counted from lane 0's: lane 0's value plus the distance
// of the lane must not overflow. Lanes that do not run the instruction count too, since lane 0 may be one of them.
struct NoWrapAssumption {
  std::uint32_t instruction = 0;
  std::uint16_t operand = 0;   // of the instruction, that is widened
  std::uint32_t web = no_web;  // its web
  bool is_signed = false;
  unsigned width = 32;  // of the value before widening
};

class Uniformity {
 public:
  // The arguments but `options` must outlive the result.
  Uniformity(const Module& module, const Function& function, const ControlFlowGraph& cfg, const PostDominators& post,
             const Webs& webs, const UniformityOptions& options);

  const LaneModel& lanes() const { return options_.lanes; }
  const LaneValue& value(std::uint32_t web) const { return values_[web]; }
  bool uniform(std::uint32_t web) const { return values_[web].uniform(); }
  // Step from lane to lane when there is one for all lanes (0: uniform); none for varying values and for those that
  // step by rows (see LaneModel).
  std::optional<std::int64_t> stride(std::uint32_t web) const { return stride(values_[web]); }
  std::optional<std::int64_t> stride(const LaneValue& value) const;
  // The distance of a lane's value from lane 0's; the value must be strided.
  std::int64_t offset(const LaneValue& value, unsigned lane) const;
  // Of any operand; for an address: of the address. 32-bit addresses of windows are residues modulo 2^32: extend lane
  // 0's by its sign to add distances to it.
  LaneValue operand(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element = 0) const;

  // Numbers in LaneValue::assumptions index this.
  std::span<const NoWrapAssumption> assumptions() const { return assumptions_; }

  // Lanes of one group may diverge at the end of the block (guarded bra, ret or exit, brx.idx).
  bool divergent(std::uint32_t block) const { return divergent_[block]; }
  // Threads of the block may.
  bool block_divergent(std::uint32_t block) const { return block_divergent_[block]; }
  // Control flow was too much work: branches that diverge count as if they did everywhere.
  bool given_up() const { return all_spoiled_[0] || all_spoiled_[1]; }
  // The block may run with some lanes of the group inactive. (Lanes that never existed, in the last group of a block,
  // are not counted.)
  bool partial(std::uint32_t block) const { return partial_[block]; }

 private:
  LaneContext context() const;
  void run();
  bool evaluate_block(std::uint32_t block);
  bool update(std::uint32_t instruction, std::uint32_t occurrence, LaneValue value);
  bool decide(std::uint32_t block);
  bool part(std::uint32_t block, bool lanes);
  bool spoil(std::uint32_t web, bool lanes);
  bool is_spoiled(std::uint32_t web, bool lanes) const;
  bool spoil_overwritten(const DivergentRegion& region);
  bool spoil_left_behind(std::uint32_t loop, bool lanes);
  bool spoil_all(bool lanes);
  void mark_partial(std::span<const std::uint32_t> blocks);
  LaneValue varying(Interval range) const;
  LaneValue parameter_value() const;

  const Module& module_;
  const Function& function_;
  const ControlFlowGraph& cfg_;
  const Webs& webs_;
  UniformityOptions options_;
  Divergence divergence_;
  std::vector<LaneValue> values_;
  std::vector<std::uint8_t> updates_;
  std::vector<NoWrapAssumption> assumptions_;
  std::vector<std::uint32_t> assumption_of_;  // by instruction
  std::vector<bool> divergent_, block_divergent_, partial_;
  std::vector<bool> after_leaving_;  // by block: lanes may have left the function before
  std::vector<bool> block_spoiled_;  // by web: threads of the block hold different values after divergence
  Liveness live_;                    // of webs
  std::vector<bool> several_;        // webs that hold more than one value one after another
  std::vector<std::vector<std::uint32_t>> defining_blocks_;  // by web
  std::vector<std::vector<std::uint32_t>> several_in_;       // by block: those that it defines
  // What parting lanes, and parting threads of the block, have done before.
  std::array<KnownLoops, 2> known_loops_;
  std::array<bool, 2> all_spoiled_{};
  // By web, of a region: the last block in the order where lanes still need its value, with its label, and the last one
  // with another label.
  struct Readers {
    std::uint32_t region = 0, last = 0, label = no_node, other = 0;
  };
  std::vector<Readers> readers_;
  std::uint32_t regions_ = 0;
  bool local_has_generic_addresses_ = false;
};

// True when some generic address of the module may point into local memory.
bool takes_address_of_local(const Module& module);

}  // namespace heddle::ptx::analysis
