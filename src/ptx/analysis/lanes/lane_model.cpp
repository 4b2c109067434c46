#include "ptx/analysis/lanes/lane_model.hpp"

#include <bit>

namespace heddle::ptx::analysis {
namespace {

// The largest power of two that divides n.
std::uint32_t power_of_two_in(std::uint32_t n) { return n & (~n + 1); }

unsigned bits_of(std::uint32_t power_of_two) { return static_cast<unsigned>(std::countr_zero(power_of_two)); }

}  // namespace

LaneModel LaneModel::unknown(unsigned lanes) {
  LaneModel model;
  model.lanes = lanes;
  return model;
}

LaneModel LaneModel::rows(unsigned lanes) {
  LaneModel model = unknown(lanes);
  model.tid[0] = {true, 0, bits_of(lanes), power_of_two_in(lanes)};
  model.tid[1] = model.tid[2] = {true, 0, 0, 1};
  return model;
}

LaneModel LaneModel::for_block(Dim3 block, unsigned lanes) {
  LaneModel model = block.x % lanes == 0 || (block.y == 1 && block.z == 1) ? rows(lanes) : unknown(lanes);
  model.ntid = {block.x, block.y, block.z};
  if (!model.tid[0].known && block.x < lanes && lanes % block.x == 0) {
    // Whole rows: the column starts from 0 in every group.
    const std::uint32_t rows = lanes / block.x;
    const unsigned columns = bits_of(block.x);
    model.tid[0] = {true, 0, columns, 0};
    if (block.y % rows == 0 || block.z == 1) {  // the last dimension may end within a group: lanes that do not exist
      model.tid[1] = {true, columns, bits_of(rows), power_of_two_in(rows)};
      model.tid[2] = {true, 0, 0, 1};
    } else if (rows % block.y == 0) {
      model.tid[1] = {true, columns, bits_of(block.y), 0};
      model.tid[2] = {true, columns + bits_of(block.y), bits_of(rows / block.y), power_of_two_in(rows / block.y)};
    }
  }
  for (unsigned d = 0; d < 3; ++d)
    if (model.ntid[d] == 1u) model.tid[d] = {true, 0, 0, 0};
  return model;
}

unsigned LaneModel::bits() const { return bits_of(lanes); }

LaneSteps LaneModel::steps_of(const Tid& component) const {
  LaneSteps steps{};
  for (unsigned bit = 0; bit < component.bits; ++bit) steps[component.first_bit + bit] = std::int64_t{1} << bit;
  return steps;
}

LaneSteps LaneModel::lane_steps() const { return steps_of({true, 0, bits(), 0}); }

}  // namespace heddle::ptx::analysis
