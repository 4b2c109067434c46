// What the model of time needs to know of each instruction of a module: its pipe, its registers, and where threads that
// part there meet again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/machine/program.hpp"
#include "device/sim/frontier_layout.hpp"
#include "device/sim/live_registers.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/register_banks.hpp"

namespace heddle::device::sim {

enum class PipeClass : std::uint8_t { alu, fma, fp64, sfu, lsu, branch, tensor };
constexpr unsigned pipe_classes = 7;
const char* name(PipeClass pipe);

inline constexpr std::uint32_t no_reconvergence = 0xffffffffu;

struct OpTiming {
  PipeClass pipe = PipeClass::alu;
  bool multiplies = false;  // an FP32 multiplication (Tesla, section 2.4: the SFU can execute it)
  // Of products of matrices: how long a pipe is occupied, in eighths of its interval.
  std::uint16_t eighths = 8;
  bool control = false;  // decides where threads go on: nothing of the group issues until it is done
  bool parts = false;    // its threads may go on at several places
  bool fence = false;    // waits until the warp's memory accesses are complete
  // Reads or writes memory so that blocks can synchronise by it, or calls the system: SMs execute such operations in
  // the order (cycle, SM).
  bool ordered = false;
  bool bypass_l1 = false;
  bool arrives = false;              // at a barrier of the block
  bool exchanges = false;            // a shuffle: values pass the shared memory's crossbar
  bool joins = false;                // threads that have parted elsewhere meet again here
  std::uint16_t uses = 0, defs = 0;  // registers, uses first
  std::uint32_t first_register = 0;  // in CodeTiming's list
  std::uint32_t first_read = 0;      // of its operands, in CodeTiming's list
  std::uint16_t reads = 0;
  // Where threads that part here meet again: the beginning of the immediate post-dominator. no_reconvergence: not
  // within the function.
  std::uint32_t reconverge = no_reconvergence;
};

// For how long a pipe of this interval is occupied.
constexpr std::uint64_t occupied(const OpTiming& op, std::uint64_t interval) {
  constexpr unsigned eighths = 8;
  return (interval * op.eighths + eighths - 1) / eighths;
}

class CodeTiming {
 public:
  CodeTiming(const machine::Code& code, const ptx::Module& module, const Front& front);
  // By number of the instruction; the number after the last one is the return at the end of the text.
  const OpTiming& at(std::uint32_t pc) const { return operations_[pc]; }
  const FrontierLayout& frontier() const { return frontier_; }
  std::span<const std::uint32_t> registers(const OpTiming& op) const {
    return std::span(registers_).subspan(op.first_register, std::size_t{op.uses} + op.defs);
  }
  // Words of registers that it reads from banks; none where the machine has no banks.
  std::span<const OperandRead> reads(const OpTiming& op) const {
    return std::span(reads_).subspan(op.first_read, op.reads);
  }

 private:
  std::vector<OpTiming> operations_;
  std::vector<std::uint32_t> registers_;
  std::vector<OperandRead> reads_;
  FrontierLayout frontier_;
};

// Of all functions of a program, each made when it is first asked for. Any thread.
class ProgramTiming {
 public:
  ProgramTiming(const machine::Program& program, const Front& front)
      : program_(program),
        front_(front),
        live_(program.ptx()),
        codes_(program.ptx().functions.size()),
        made_(codes_.size()) {}
  LiveRegisters& live_registers() { return live_; }
  const CodeTiming& of(const machine::Code& code) {
    const CodeTiming* const there = made_[code.index].load(std::memory_order_acquire);
    return there ? *there : make(code);
  }

 private:
  const CodeTiming& make(const machine::Code& code);

  const machine::Program& program_;
  const Front front_;
  LiveRegisters live_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CodeTiming>> codes_;
  std::vector<std::atomic<const CodeTiming*>> made_;  // the same, without the mutex
};

}  // namespace heddle::device::sim
