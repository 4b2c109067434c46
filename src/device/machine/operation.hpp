// Decoded instructions.
#pragma once

#include <cstdint>

#include "device/machine/row_op.hpp"
#include "ptx/forms.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::machine {

// What the core does for an instruction.
enum class Action : std::uint8_t {
  evaluate,  // computed by ptx::semantics from operands alone
  nothing,   // no effect: all threads see every access at once, and there are no caches
  refuse,
  move,
  copy_operand,  // mapa, as a cluster has one block
  write_zero,
  convert_address,
  is_space,
  texture,  // tex, tld4, txq, suld, sust, sured, suq, istypep
  load,
  store,
  atomic,
  reduction,
  copy_async,
  update_mbarrier,
  check_mbarrier,
  mbarrier_count,
  branch,
  indexed_branch,
  call,
  leave,  // ret
  exit,
  trap,
  yield,  // nanosleep
  allocate_stack,
  save_stack,
  restore_stack,
  shuffle,
  vote,
  match,
  reduce,
  elect,
  multiply,  // matrices, by all lanes
  meet,      // bar.warp.sync: no effect but the wait
  barrier,   // of the block
};

// Which other threads take part in an instruction.
enum class Involves : std::uint8_t {
  none,
  gathering,  // a warp operation without .sync: the lanes that are at it take part
  meeting,    // a warp operation with .sync: the lanes of its mask take part; all where it has no mask
  barrier,    // of the block
};

// One decoded instruction. Its address is constant during the program's lifetime and identifies the instruction.
struct Operation {
  static constexpr unsigned most_elements = 8;
  const ptx::Instruction* instruction = nullptr;
  Action action = Action::refuse;
  Involves involves = Involves::none;
  ptx::Space space = ptx::Space::generic;  // of loads, stores and atomics, as written
  // Of these: each lane accesses `elements` elements of `element_bytes` bytes.
  std::uint8_t element_bytes = 0, elements = 0;
  ptx::SlotList slots;
  RowOp row;  // how it is executed for all lanes at once; decode() of a function makes it
};
Operation decode(const ptx::Instruction& instruction);

}  // namespace heddle::device::machine
