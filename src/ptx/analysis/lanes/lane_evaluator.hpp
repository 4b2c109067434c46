// The effect of one instruction on what is known of its results' lanes; the transfer functions of uniformity.hpp.
#pragma once

#include <cstdint>

#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/lane_context.hpp"
#include "ptx/analysis/lanes/lane_value.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

class LaneEvaluator {
 public:
  // The arguments must outlive the evaluator.
  LaneEvaluator(const LaneContext& context, const LaneArithmetic& arithmetic, std::uint32_t instruction);

  // The value that a definition of the instruction gets; kind none while an operand that it needs has none.
  LaneValue result(const RegisterOccurrence& definition);
  // A widening that result() relied on.
  struct Widening {
    bool present = false;
    std::uint16_t operand = 0;
    bool is_signed = false;
    unsigned width = 0;
  };
  const Widening& widening() const { return widening_; }

  LaneValue operand(std::uint16_t number, std::uint16_t element = 0) const;

 private:
  LaneValue written(const Operand& operand, std::uint16_t number, std::uint16_t element) const;
  LaneValue address(const Operand& operand, std::uint16_t number) const;
  LaneValue of_use(std::uint16_t number, std::uint16_t element) const;
  LaneValue at_width(std::uint16_t number, unsigned width) const;
  LaneValue widen(const LaneValue& value, std::uint16_t number, bool is_signed, unsigned from, unsigned to);
  LaneValue dispatch(const RegisterOccurrence& definition);
  LaneValue integer_arithmetic();
  LaneValue product(bool accumulate);
  LaneValue bitwise();
  LaneValue shift();
  LaneValue field_extract();
  LaneValue select() const;
  LaneValue compare() const;
  LaneValue convert(const RegisterOccurrence& definition);
  LaneValue move(const RegisterOccurrence& definition);
  LaneValue to_generic() const;
  LaneValue warp_operation(const RegisterOccurrence& definition) const;
  LaneValue generic(Interval range = {}) const;

  const LaneContext& context_;
  const LaneArithmetic& arithmetic_;
  std::uint32_t index_;
  const Instruction& inst_;
  Widening widening_;
};

}  // namespace heddle::ptx::analysis
