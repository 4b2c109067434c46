// One instruction of the catalog with operands that suit it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "random/catalog.hpp"
#include "random/registers.hpp"

namespace heddle::test::random_kernel {

class InstructionWriter {
 public:
  // A register to read, or nothing; registers that may be written; a constant.
  using Read = std::function<std::string(ptx::Type, Use, bool relaxed)>;
  using Write = std::function<std::vector<const Reg*>(ptx::Type, Use, bool relaxed)>;
  using Constant = std::function<std::string(ptx::Type)>;

  InstructionWriter(Random& random, const Choice& choice, Read read, Write write, Constant constant);
  // With its semicolon; empty when some operand has no register.
  std::string text();

 private:
  using Type = ptx::Type;
  bool merges_halves() const;
  bool is_simd() const;
  std::string operand(const ptx::SlotPattern& slot);
  std::string destination(const ptx::SlotPattern& slot, Type type);
  std::string source(const ptx::SlotPattern& slot, Type type);
  // Number of the suffix whose values a copy copies.
  unsigned copied() const { return choice_.form->opcode == ptx::Opcode::cvt ? 1 : 0; }

  Random& random_;
  const Choice& choice_;
  Read read_;
  Write write_;
  Constant constant_;
  bool canonical_, copies_floats_ = false, sunk_ = false;
  std::string written_;
};

// With these operands ptxas 13.0 gives something else than PTX says: constants beyond the width in bfe and bfi, the
// least integer as the offset of fns, the minimum or maximum of a NaN with itself, a NaN times the constant 1.
bool operands_differ_on_gpus(const Choice& choice, const std::string& text);

}  // namespace heddle::test::random_kernel
