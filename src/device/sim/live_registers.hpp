// Which registers of a warp hold values that may still be read: what residency=finereg keeps of a block that has given
// way (FineReg: Oh, Yoon, Song and Ro, MICRO 2018).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "device/machine/block.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::sim {

// Of the functions of one module. Any thread.
class LiveRegisters {
 public:
  // It outlives this.
  explicit LiveRegisters(const ptx::Module& module) : module_(module) {}

  // Words of 32 bits that a thread of the warp needs of its registers, at most `all`: those live at the places of any
  // of the warp's threads, as a register of a warp is kept for all lanes. Threads in called functions need all.
  // Predicates are not counted, as they are no part of the register file.
  unsigned of(const machine::Block& block, const machine::Warp& warp, unsigned all);

 private:
  struct Function {
    std::vector<std::vector<std::uint32_t>> live;  // before each instruction
    std::vector<std::uint8_t> words;               // of each register
  };
  const Function& function_of(const machine::Code& code);

  const ptx::Module& module_;
  std::mutex mutex_;
  std::map<const machine::Code*, Function> functions_;
};

}  // namespace heddle::device::sim
