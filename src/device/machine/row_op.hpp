// An instruction that is executed for all lanes at once: what it reads, the loop, and what it writes.
//
// A row has one word for each lane of a group of threads. Rows hold registers as Registers has them: bits above a
// register's width are zero.
#pragma once

#include <cstdint>

#include "ptx/ir.hpp"

namespace heddle::device::machine {

constexpr unsigned row_lanes = 32;

// Computes all lanes of `result`; lanes that take no part have any values, and their results do not count. The result
// is none of the sources.
using RowFunction = void (*)(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                             std::uint64_t* result);

// How a result becomes what its register holds: its low bits, sign-extended from `extend_from` bits (0: not), and
// `mask` of that.
struct RowFinish {
  std::uint8_t extend_from = 0;
  bool masks = false;
  std::uint64_t mask = ~std::uint64_t{0};
  bool changes() const { return extend_from != 0 || masks; }
};
// For a result of this type in a register of `width` bits. `exact`: the bits above the type's width are zero.
RowFinish row_finish(ptx::Type result, unsigned width, bool exact);

// Where a source's row comes from.
struct RowSource {
  enum class Kind : std::uint8_t {
    none,
    reg,       // a register
    constant,  // an immediate operand
    lanes,     // anything else: read lane by lane
  };
  Kind kind = Kind::none;
  bool negated = false;      // a predicate
  std::uint8_t operand = 0;  // its number in the instruction
  ptx::Type type = ptx::Type::none;
  std::uint32_t reg = 0;
  std::uint64_t value = 0;
};

// How the core executes an instruction for all lanes at once.
enum class RowKind : std::uint8_t {
  none,     // not: it executes lane by lane
  nothing,  // there is nothing to do
  compute,
  load,
  store,
  branch,
};

struct RowOp {
  static constexpr unsigned most_sources = 3;
  RowKind kind = RowKind::none;
  RowFunction function = nullptr;
  RowFunction then = nullptr;  // on the result and the third source: .and, .or, .xor of setp
  bool host_floats = false;    // uses floating point of the host, in its default mode
  RowSource sources[most_sources];
  std::uint32_t target = 0;  // the register that is written; of loads the operand has them
  RowFinish finish;          // of loads: for each element
  // Loads and stores: the register of the address, the offset to it, and the bits of the sum that count.
  RowSource base;  // none: the address is the same for all threads of a kernel
  std::uint64_t offset = 0, address_mask = ~std::uint64_t{0};
};

// A source as a value of at most 64 bits.
RowSource row_source(const ptx::Operand& operand, ptx::Type type, unsigned number);

}  // namespace heddle::device::machine
