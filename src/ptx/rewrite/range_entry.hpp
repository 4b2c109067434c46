// The entries that are added for ranges of blocks (block_ranges.hpp), and their hidden parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/dim3.hpp"

namespace heddle::ptx {

enum class RangeForm : std::uint8_t {
  box,      // the blocks are a box of the grid: launched as a grid of the box's extents, offsets are added
  linear,   // any range: launched as a grid of one dimension, block numbers are divided
  prelude,  // launched as the whole grid; blocks outside of the range exit at once, all else is unchanged
  pool,     // persistent blocks take block numbers from a counter in memory until its end or a stop request
};
std::string_view name(RangeForm form);

// What a hidden parameter holds. Addresses have the module's address size, all else 32 bits.
enum class HiddenValue : std::uint8_t {
  counter,   // pool: address of the 32-bit number of the next block, in memory that the GPU does atomics on
  control,   // pool: address of a 32-bit word that is not zero when blocks must stop; with a mask of processors,
             // its words follow (bit i of the mask: %smid i may run blocks)
  end,       // pool: the block number to stop at
  offset_x,  // box: the box's first block
  offset_y,  //
  offset_z,  //
  grid_x,    // extents of the whole grid
  grid_y,    //
  grid_z,    //
  cluster_offset_x,  // box: its first cluster
  cluster_offset_y,  //
  cluster_offset_z,  //
  clusters_x,        // extents of the whole grid in clusters
  clusters_y,        //
  clusters_z,        //
  first,             // linear, prelude: the number of the range's first block
  count,             // prelude: how many blocks the range has
  magic_x,           // multiplier and shift that divide by grid_x and grid_y (RangeDivisor)
  shift_x,           //
  magic_y,           //
  shift_y,           //
};

struct HiddenParameter {
  HiddenValue value = HiddenValue::first;
  std::uint32_t offset = 0, bytes = 4;  // in the packed argument buffer
  friend bool operator==(const HiddenParameter&, const HiddenParameter&) = default;
};

struct RangeEntry {
  std::string name;
  std::uint32_t original = 0;  // index in Module::functions of the entry whose blocks it runs
  std::uint32_t function = 0;  // its own index; `original` when that needs no change: it reads no block or grid number
  RangeForm form = RangeForm::box;
  // Ranges must run in increasing order, each after the one before has ended: on one queue. In a pool blocks start in
  // increasing order, which is what the kernel waits for.
  bool ordered = false;
  // Ranges must consist of whole clusters. `cluster` is what the kernel asks for; 0, 0, 0 when the launch says it.
  bool whole_clusters = false;
  Dim3 cluster{0, 0, 0};
  // The kernel reads %gridid, which differs between the launches that ranges are made of.
  bool reads_grid_number = false;
  // Pool: only for blocks of one dimension, or whose width is a multiple of 32. In others, threads of one warp might
  // wait for threads that have reached the end of the kernel.
  bool warps_are_rows = false;
  // Pool: `control` is followed by a mask of processors.
  bool has_processor_mask = false;
  // The packed argument buffer: the original's arguments, hidden ones from hidden_offset on, parameter_bytes in all.
  std::uint32_t hidden_offset = 0, parameter_bytes = 0;
  std::vector<HiddenParameter> hidden;
};

}  // namespace heddle::ptx
