#include "ptx/analysis/lanes/lane_special.hpp"

#include <bit>

namespace heddle::ptx::analysis {
namespace {

LaneValue extent(const LaneModel& model, unsigned dimension) {
  LaneValue value =
      model.ntid[dimension] ? LaneValue::constant(*model.ntid[dimension], 32) : LaneValue::make_uniform(true);
  if (!model.ntid[dimension]) value.range = {1, model.ntid_limit[dimension], false};
  value.tag = LaneValue::Tag::ntid;
  return value;
}

LaneValue thread_index(const LaneModel& model, unsigned dimension) {
  const LaneModel::Tid& tid = model.tid[dimension];
  LaneValue value = LaneValue::varying();
  if (tid.known) {
    value = LaneValue::make_uniform(model.ntid[dimension] == 1u);
    value.steps = model.steps_of(tid);
    value.base_zeros = tid.multiple == 0 ? std::uint8_t{64} : static_cast<std::uint8_t>(std::countr_zero(tid.multiple));
  }
  const std::uint32_t limit = model.ntid[dimension].value_or(model.ntid_limit[dimension]);
  value.range = {0, std::int64_t{limit} - 1, false};
  if (value.range.constant()) value = LaneValue::constant(0, 32);
  value.tag = LaneValue::Tag::tid;
  return value;
}

LaneValue lane_number(const LaneModel& model) {
  LaneValue value = LaneValue::make_uniform(false);
  value.steps = model.lane_steps();
  value.base_zeros = model.lanes == 32 ? std::uint8_t{64} : static_cast<std::uint8_t>(std::countr_zero(model.lanes));
  value.range = {0, 31, false};
  return value;
}

// %tid, %ntid, %ctaid and %nctaid.
LaneValue coordinate(const LaneModel& model, SpecialRegister special) {
  using S = SpecialRegister;
  const unsigned which = static_cast<unsigned>(special) - static_cast<unsigned>(S::tid_x), dimension = which % 3;
  LaneValue value = LaneValue::make_uniform(true);
  switch (which / 3) {
    case 0: value = thread_index(model, dimension); break;
    case 1: value = extent(model, dimension); break;
    case 2:
      value.range = {0, std::int64_t{model.grid_limit[dimension]} - 1, false};
      value.tag = LaneValue::Tag::ctaid;
      break;
    default:
      value.range = {1, std::int64_t{model.grid_limit[dimension]}, false};
      value.tag = LaneValue::Tag::nctaid;
      break;
  }
  value.tag_dimension = static_cast<std::uint8_t>(dimension);
  return value;
}

}  // namespace

LaneValue value_of_special(const LaneModel& model, SpecialRegister special) {
  using S = SpecialRegister;
  static_assert(static_cast<unsigned>(S::nctaid_z) == static_cast<unsigned>(S::tid_x) + 11, "four triples in a row");
  if (special >= S::tid_x && special <= S::nctaid_z) return coordinate(model, special);
  if (special >= S::lanemask_eq && special <= S::lanemask_gt) return LaneValue::varying();
  if (special == S::laneid) return lane_number(model);
  if (special == S::warpsize) return LaneValue::constant(32, 32);
  // Counters and clocks are read at different times by different warps.
  const bool counter =
      (special >= S::pm0 && special <= S::pm7_64) || (special >= S::clock && special <= S::globaltimer_hi);
  LaneValue value = LaneValue::make_uniform(!counter && special != S::warpid && special != S::smid);
  if (special == S::warpid) value.range = {0, 31, false};
  return value;
}

}  // namespace heddle::ptx::analysis
