// One block of a kernel, whose instructions a test executes one by one.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "device/machine/core.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::machine {

class SteppedKernel {
 public:
  // `body`: registers, variables and instructions of `.entry k(.param .u64 p, .param .u64 q)`. `functions` stand before
  // it. Instructions begin in line 5 where there are no functions.
  explicit SteppedKernel(const std::string& body, unsigned threads = 32, Options options = {},
                         const std::string& functions = "")
      : machine_(std::move(options), clock_),
        program_(machine_,
                 std::make_shared<const ptx::Module>(
                     ptx::parse(".version 8.0\n.target sm_80\n.address_size 64\n" + functions +
                                    ".visible .entry k(.param .u64 p, .param .u64 q) {\n" + body + "\n}\n",
                                "test.ptx")),
                 {}),
        kernel_(program_, program_.code(*program_.ptx().find("k"))) {
    config_.block = {threads, 1, 1};
    config_.dynamic_shared_bytes = 256;
    words.resize(64);
    machine_.memory.add({Allocation::Kind::memory, address(), words.size() * sizeof words[0], ""});
    const std::uint64_t arguments[] = {address(), 0x1234};
    grid_ = std::make_unique<Grid>(kernel_, config_, std::as_bytes(std::span(arguments)), 1, nullptr);
    core = std::make_unique<Core>(*grid_);
    block = std::make_unique<Block>(*grid_, 0);
  }

  // Executes what the first lane of the mask stands at.
  const Effects& step(LaneMask lanes, unsigned warp = 0) {
    core->step(*block, block->warps[warp], lanes, effects);
    return effects;
  }
  const Effects& steps(unsigned count, LaneMask lanes = ~LaneMask{0}) {
    for (unsigned i = 0; i < count; ++i) step(lanes);
    return effects;
  }
  std::uint32_t pc(unsigned thread) const { return block->threads[thread].pc(); }
  std::uint64_t value(unsigned thread, const std::string& name) const {
    const Frame& frame = block->threads[thread].frame();
    const auto& registers = frame.code->function->registers;
    for (std::size_t i = 0; i < registers.size(); ++i)
      if (registers[i].name == name) return frame.registers.low(i);
    throw std::invalid_argument("no register " + name);
  }
  // Of the memory that parameter p points to.
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(words.data()); }
  // The same as effects report it.
  std::uint64_t model_address() const { return machine_.memory.find(address(), 1).value().model; }
  const Kernel& kernel() const { return kernel_; }
  Machine& machine() { return machine_; }

  std::vector<std::uint32_t> words;
  Effects effects;
  std::unique_ptr<Core> core;
  std::unique_ptr<Block> block;

 private:
  base::ManualClock clock_;
  Machine machine_;
  Program program_;
  Kernel kernel_;
  LaunchConfig config_;
  std::unique_ptr<Grid> grid_;
};

}  // namespace heddle::device::machine
