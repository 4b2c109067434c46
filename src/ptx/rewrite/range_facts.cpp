#include "ptx/rewrite/range_facts.hpp"

namespace heddle::ptx {

RangeFacts find_range_facts(const Module& module) {
  constexpr unsigned warp_lanes = 32;
  RangeFacts facts;
  facts.waiting = analysis::find_waiting(module, {.lanes = analysis::LaneModel::rows(warp_lanes)});
  facts.blocks = analysis::find_block_independence(module, facts.waiting);
  return facts;
}

}  // namespace heddle::ptx
