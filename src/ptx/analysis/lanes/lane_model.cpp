#include "ptx/analysis/lanes/lane_model.hpp"

#include <bit>

namespace heddle::ptx::analysis {
namespace {

// The largest power of two that divides n.
std::uint32_t power_of_two_in(std::uint32_t n) { return n & (~n + 1); }

}  // namespace

LaneModel LaneModel::unknown(unsigned lanes) {
  LaneModel model;
  model.lanes = lanes;
  model.radix = {lanes, 1};
  return model;
}

LaneModel LaneModel::rows(unsigned lanes) {
  LaneModel model = unknown(lanes);
  model.tid[0] = {Component::digit0, power_of_two_in(lanes)};
  model.tid[1] = model.tid[2] = {Component::uniform, 1};
  return model;
}

LaneModel LaneModel::for_block(Dim3 block, unsigned lanes) {
  LaneModel model = block.x % lanes == 0 || (block.y == 1 && block.z == 1) ? rows(lanes) : unknown(lanes);
  model.ntid = {block.x, block.y, block.z};
  if (model.tid[0].component == Component::varying && block.x < lanes && lanes % block.x == 0) {
    // Whole rows: the column is a digit that starts from 0 in every group.
    const std::uint32_t rows = lanes / block.x;
    model.radix[0] = block.x;
    model.tid[0] = {Component::digit0, 0};
    if (block.y % rows == 0 || block.z == 1) {  // the last dimension may end within a group: lanes that do not exist
      model.radix[1] = rows;
      model.tid[1] = {Component::digit1, power_of_two_in(rows)};
      model.tid[2] = {Component::uniform, 1};
    } else if (rows % block.y == 0) {
      model.radix[1] = block.y;
      model.tid[1] = {Component::digit1, 0};
      model.tid[2] = {Component::digit2, power_of_two_in(rows / block.y)};
    }
  }
  for (unsigned d = 0; d < 3; ++d)
    if (model.ntid[d] == 1u) model.tid[d] = {Component::uniform, 0};
  return model;
}

std::uint32_t LaneModel::digit(unsigned number, unsigned lane) const {
  switch (number) {
    case 0: return lane % radix[0];
    case 1: return lane / radix[0] % radix[1];
    default: return lane / radix[0] / radix[1];
  }
}

std::array<std::int64_t, digit_count> LaneModel::lane_strides() const {
  return {1, std::int64_t{radix[0]}, std::int64_t{radix[0]} * radix[1]};
}

}  // namespace heddle::ptx::analysis
