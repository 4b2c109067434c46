#include "ptx/rewrite/block_ranges_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "heddle/error.hpp"

namespace heddle::ptx {
namespace {

[[noreturn]] void refuse(const RangeEntry& entry, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, entry.name + ": " + why);
}

std::string text(const Dim3& d) {
  return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

std::string text(const BlockRange& range) {
  return "blocks " + std::to_string(range.begin) + " to " + std::to_string(range.end);
}

std::uint32_t narrow(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// What the hidden values of one launch are made of.
struct Values {
  Dim3 grid, cluster{1, 1, 1};
  BlockBox box;
  BlockRange range;
  PoolLaunch pool;

  std::uint64_t of(HiddenValue value) const {
    switch (value) {
      case HiddenValue::counter: return pool.counter_address;
      case HiddenValue::control: return pool.control_address;
      case HiddenValue::end: return range.end;
      case HiddenValue::offset_x: return box.origin.x;
      case HiddenValue::offset_y: return box.origin.y;
      case HiddenValue::offset_z: return box.origin.z;
      case HiddenValue::grid_x: return grid.x;
      case HiddenValue::grid_y: return grid.y;
      case HiddenValue::grid_z: return grid.z;
      case HiddenValue::cluster_offset_x: return box.origin.x / cluster.x;
      case HiddenValue::cluster_offset_y: return box.origin.y / cluster.y;
      case HiddenValue::cluster_offset_z: return box.origin.z / cluster.z;
      case HiddenValue::clusters_x: return grid.x / cluster.x;
      case HiddenValue::clusters_y: return grid.y / cluster.y;
      case HiddenValue::clusters_z: return grid.z / cluster.z;
      case HiddenValue::first: return range.begin;
      case HiddenValue::count: return range.size();
      case HiddenValue::magic_x: return range_divisor(grid.x).magic;
      case HiddenValue::shift_x: return range_divisor(grid.x).shift;
      case HiddenValue::magic_y: return range_divisor(grid.y).magic;
      case HiddenValue::shift_y: return range_divisor(grid.y).shift;
    }
    return 0;
  }
};

// `hidden` begins at entry.hidden_offset of the argument buffer.
void write_hidden(std::span<std::byte> hidden, const RangeEntry& entry, const Values& values) {
  for (const HiddenParameter& parameter : entry.hidden) {
    const std::uint64_t value = values.of(parameter.value);
    std::memcpy(hidden.data() + (parameter.offset - entry.hidden_offset), &value, parameter.bytes);
  }
}

RangeLaunch make_launch(const RangeEntry& entry, const Dim3& grid, const Values& values) {
  RangeLaunch launch;
  launch.grid = grid;
  launch.hidden.resize(entry.parameter_bytes - entry.hidden_offset);
  write_hidden(launch.hidden, entry, values);
  return launch;
}

bool aligned(const BlockBox& box, const Dim3& cluster) {
  return box.origin.x % cluster.x == 0 && box.origin.y % cluster.y == 0 && box.origin.z % cluster.z == 0 &&
         box.extent.x % cluster.x == 0 && box.extent.y % cluster.y == 0 && box.extent.z % cluster.z == 0;
}

// Joins boxes from the outside in: [begin, end) in units of `unit` blocks each.
class Cutter {
 public:
  explicit Cutter(const Dim3& grid) : grid_(grid) {}

  std::vector<BlockBox> cut(const BlockRange& range) {
    const std::uint64_t row = grid_.x, plane = row * grid_.y;
    const std::uint64_t first_plane = (range.begin + plane - 1) / plane, last_plane = range.end / plane;
    if (first_plane > last_plane) {
      rows(range.begin, range.end);
    } else {
      rows(range.begin, first_plane * plane);
      if (first_plane < last_plane)
        boxes_.push_back({{0, 0, narrow(first_plane)}, {grid_.x, grid_.y, narrow(last_plane - first_plane)}});
      rows(last_plane * plane, range.end);
    }
    return std::move(boxes_);
  }

 private:
  // Within one plane.
  void rows(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t row = grid_.x;
    const std::uint64_t first_row = (begin + row - 1) / row, last_row = end / row;
    if (first_row > last_row) return blocks(begin, end);
    blocks(begin, first_row * row);
    if (first_row < last_row)
      boxes_.push_back(
          {{0, narrow(first_row % grid_.y), narrow(first_row / grid_.y)}, {grid_.x, narrow(last_row - first_row), 1}});
    blocks(last_row * row, end);
  }

  // Within one row.
  void blocks(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const std::uint64_t row = begin / grid_.x;
    boxes_.push_back(
        {{narrow(begin % grid_.x), narrow(row % grid_.y), narrow(row / grid_.y)}, {narrow(end - begin), 1, 1}});
  }

  Dim3 grid_;
  std::vector<BlockBox> boxes_;
};

// The extents of clusters that hold for the launch.
Dim3 cluster_of(const RangeEntry& entry, const Dim3& grid, const Dim3& cluster) {
  const Dim3 own = entry.cluster.count() != 0 ? entry.cluster : cluster;
  if (own.count() == 0) refuse(entry, "clusters of " + text(own) + " blocks are empty.");
  if (grid.x % own.x != 0 || grid.y % own.y != 0 || grid.z % own.z != 0)
    refuse(entry, "the grid of " + text(grid) + " blocks does not consist of clusters of " + text(own) + ".");
  return own;
}

// A prelude lets blocks leave by their number: whole clusters are whole boxes too.
void check_clusters(const RangeEntry& entry, const Values& values) {
  if (values.cluster.count() == 1) return;
  if (entry.form == RangeForm::linear || entry.form == RangeForm::pool)
    refuse(entry, "this form cannot be launched in clusters.");
  for (const BlockBox& box : boxes_of(values.grid, values.range))
    if (!aligned(box, values.cluster))
      refuse(entry, text(values.range) + " of a grid of " + text(values.grid) + " blocks are not whole clusters of " +
                        text(values.cluster) + ".");
}

void check(const RangeEntry& entry, const Values& values) {
  constexpr std::uint64_t two_to_31 = std::uint64_t{1} << 31;
  const std::uint64_t total = values.grid.count();
  if (total == 0) refuse(entry, "the grid of " + text(values.grid) + " blocks is empty.");
  if (values.range.begin > values.range.end || values.range.end > total)
    refuse(entry, text(values.range) + " are not within a grid of " + std::to_string(total) + " blocks.");
  const bool counts = entry.form == RangeForm::linear || entry.form == RangeForm::pool;
  if (counts && total >= two_to_31)
    refuse(entry, "the grid has " + std::to_string(total) + " blocks; this form takes fewer than 2^31.");
  if (entry.form == RangeForm::prelude && total >= 2 * two_to_31)
    refuse(entry, "the grid has " + std::to_string(total) + " blocks; this form takes fewer than 2^32.");
  if (entry.form == RangeForm::pool && values.pool.workers == 0) refuse(entry, "a pool needs at least one block.");
  check_clusters(entry, values);
}

BlockBox box_of(const Dim3& grid, const BlockRange& range) {
  const std::uint64_t row = grid.x, plane = row * grid.y, first = range.begin, count = range.size();
  BlockBox box{{narrow(first % row), narrow(first / row % grid.y), narrow(first / plane)}, {1, 1, 1}};
  box.extent.x = narrow(std::min(count, row));
  box.extent.y = count < row ? 1 : narrow(std::min(count / row, std::uint64_t{grid.y}));
  box.extent.z = count < plane ? 1 : narrow(count / plane);
  return box;
}

}  // namespace

RangeDivisor range_divisor(std::uint32_t divisor) {
  const auto shift = static_cast<std::uint32_t>(std::bit_width(divisor - 1u));
  const std::uint64_t power = std::uint64_t{1} << (31 + shift);
  return {narrow(power / divisor + 1), shift};
}

std::vector<BlockBox> boxes_of(const Dim3& grid, const BlockRange& range) {
  if (range.empty()) return {};
  return Cutter(grid).cut(range);
}

bool is_box(const Dim3& grid, const BlockRange& range) {
  if (range.empty()) return false;
  const std::uint64_t row = grid.x, plane = row * grid.y, last = range.end - 1;
  if (range.begin / row == last / row) return true;
  if (range.begin % row != 0 || range.end % row != 0) return false;
  return range.begin / plane == last / plane || (range.begin % plane == 0 && range.end % plane == 0);
}

bool are_boxes(const Dim3& grid, const BlockRange& range, std::uint64_t part) {
  for (std::uint64_t at = range.begin; at < range.end; at += part)
    if (!is_box(grid, {at, std::min(range.end, at + part)})) return false;
  return true;
}

void plan_parts(const RangeEntry& entry, const Dim3& grid, const BlockRange& range, std::uint64_t part,
                std::span<std::byte> packed, const LaunchPart& launch) {
  if (part == 0 || entry.form == RangeForm::pool) refuse(entry, "it cannot be cut into parts of this kind.");
  Values values;
  values.grid = grid;
  values.range = range;
  if (grid.count() != 0) values.cluster = cluster_of(entry, grid, {});
  check(entry, values);
  for (std::uint64_t at = range.begin; values.cluster.count() != 1 && at < range.end; at += part) {
    values.range = {at, std::min(range.end, at + part)};
    check_clusters(entry, values);
  }
  const std::span<std::byte> hidden = packed.subspan(entry.hidden.empty() ? packed.size() : entry.hidden_offset);
  const auto put = [&](const Dim3& extent) {
    write_hidden(hidden, entry, values);
    launch(extent, values.range);
  };
  for (std::uint64_t at = range.begin; at < range.end; at = values.range.end) {
    values.range = {at, std::min(range.end, at + part)};
    if (entry.form == RangeForm::linear) {
      put({narrow(values.range.size()), 1, 1});
    } else if (entry.form == RangeForm::prelude) {
      put(grid);
    } else if (is_box(grid, values.range)) {
      values.box = box_of(grid, values.range);
      put(values.box.extent);
    } else {
      for (const BlockBox& box : boxes_of(grid, values.range)) {
        values.box = box;
        put(box.extent);
      }
    }
  }
}

std::vector<RangeLaunch> plan_range(const RangeEntry& entry, const Dim3& grid, const BlockRange& range,
                                    const Dim3& cluster, const PoolLaunch& pool) {
  Values values;
  values.grid = grid;
  values.range = range;
  values.pool = pool;
  if (grid.count() != 0) values.cluster = cluster_of(entry, grid, cluster);
  check(entry, values);
  std::vector<RangeLaunch> launches;
  if (range.empty()) return launches;
  switch (entry.form) {
    case RangeForm::box:
      for (const BlockBox& box : boxes_of(grid, range)) {
        values.box = box;
        launches.push_back(make_launch(entry, box.extent, values));
      }
      break;
    case RangeForm::linear: launches.push_back(make_launch(entry, {narrow(range.size()), 1, 1}, values)); break;
    case RangeForm::prelude: launches.push_back(make_launch(entry, grid, values)); break;
    case RangeForm::pool: launches.push_back(make_launch(entry, {pool.workers, 1, 1}, values)); break;
  }
  return launches;
}

}  // namespace heddle::ptx
