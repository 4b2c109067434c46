// Functions as the core executes them: each instruction is decoded once, when its module is loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "device/machine/layout.hpp"
#include "ptx/forms.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::machine {

// What the core does for an instruction.
enum class Action : std::uint8_t {
  evaluate,  // what ptx::semantics computes of operands alone
  nothing,   // every access is seen by all at once, and caches do not exist
  refuse,
  move,
  copy_operand,  // mapa: in a cluster of one block
  write_zero,
  convert_address,
  is_space,
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
  meet,     // bar.warp.sync: having met is all
  barrier,  // of the block
};

// How an instruction involves other threads.
enum class Involves : std::uint8_t {
  none,
  gathering,  // a warp operation without .sync: whoever is there takes part
  meeting,    // a warp operation with .sync: the lanes of a mask take part
  barrier,    // of the block
};

// One instruction. Its address stays the same as long as its program lives, and names the instruction.
struct Operation {
  static constexpr unsigned most_elements = 8;
  const ptx::Instruction* instruction = nullptr;
  Action action = Action::refuse;
  Involves involves = Involves::none;
  ptx::Space space = ptx::Space::generic;  // of loads, stores and atomics, as written
  // Of those: what each lane accesses, so many elements of so many bytes.
  std::uint8_t element_bytes = 0, elements = 0;
  ptx::SlotList slots;
};
Operation decode(const ptx::Instruction& instruction);

// A function decoded and its frame laid out. Its address is its "code address".
struct Code {
  const ptx::Function* function = nullptr;
  std::uint32_t index = 0;            // in Module::functions
  std::vector<Operation> operations;  // by instruction
  FrameLayout frame;
  bool uses_stack = false;                      // calls or alloca
  std::vector<std::uint64_t> static_addresses;  // of .global and .const variables of the body; 0 for others
};
// All but the addresses.
Code decode(const ptx::Function& function, std::uint32_t index);

}  // namespace heddle::device::machine
