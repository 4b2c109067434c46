// The special registers that differ between a launch and a range of its blocks: which functions read them, and code
// that makes their values out of parameters.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ptx/ir.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/range_entry.hpp"

namespace heddle::ptx {

enum class GridValue : std::uint8_t {
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
};
inline constexpr unsigned grid_value_count = 12;
using GridValueSet = std::bitset<grid_value_count>;
// Registers that hold values, by GridValue.
using GridValueRegisters = std::array<std::uint32_t, grid_value_count>;

constexpr unsigned number(GridValue value) { return static_cast<unsigned>(value); }
SpecialRegister special_of(GridValue value);
std::optional<GridValue> grid_value_of(SpecialRegister special);
// Those that an operand names, elements of vectors included.
GridValueSet values_named(const Operand& operand);
GridValueSet values_named(const Instruction& inst);
// Those that each function of the module needs: it reads them, or calls by name a function that does.
std::vector<GridValueSet> values_needed(const Module& module);

// The function that a call names; none for calls through registers.
std::optional<std::uint32_t> named_callee(const Instruction& inst);

// Where rewritten code has values from.
class GridValueSource {
 public:
  virtual ~GridValueSource() = default;
  // Emits what makes the values and gives their 32-bit registers; those of other values mean nothing.
  virtual GridValueRegisters emit(BodyEditor& editor, const GridValueSet& wanted) = 0;
};

// Values as the parameters of a function: parameters[v] is the index of the one for value v.
class ParameterSource : public GridValueSource {
 public:
  explicit ParameterSource(const GridValueRegisters& parameters) : parameters_(parameters) {}
  GridValueRegisters emit(BodyEditor& editor, const GridValueSet& wanted) override;

 private:
  GridValueRegisters parameters_;
};

// Values that stand in registers.
class RegisterSource : public GridValueSource {
 public:
  explicit RegisterSource(const GridValueRegisters& registers) : registers_(registers) {}
  GridValueRegisters emit(BodyEditor&, const GridValueSet&) override { return registers_; }

 private:
  GridValueRegisters registers_;
};

// The hidden parameters of an entry, by what they hold: indices among its parameters.
using HiddenIndices = std::map<HiddenValue, std::uint32_t>;

// Hidden parameters of which an entry of this form makes the values, in no order.
std::vector<HiddenValue> hidden_values_for(RangeForm form, const GridValueSet& values);
// Loads a hidden parameter into a new register.
std::uint32_t emit_hidden(BodyEditor& editor, const HiddenIndices& hidden, HiddenValue value, Type type = Type::u32);

// Block numbers of the launch plus offsets.
class BoxSource : public GridValueSource {
 public:
  explicit BoxSource(HiddenIndices hidden) : hidden_(std::move(hidden)) {}
  GridValueRegisters emit(BodyEditor& editor, const GridValueSet& wanted) override;

 private:
  HiddenIndices hidden_;
};

// One block number, divided by the extents of the grid.
class LinearSource : public GridValueSource {
 public:
  // `block`: the register with the number; none: that of the launch plus HiddenValue::first.
  LinearSource(HiddenIndices hidden, std::optional<std::uint32_t> block) : hidden_(std::move(hidden)), block_(block) {}
  GridValueRegisters emit(BodyEditor& editor, const GridValueSet& wanted) override;

 private:
  std::uint32_t emit_block(BodyEditor& editor) const;
  std::uint32_t emit_quotient(BodyEditor& editor, std::uint32_t number, HiddenValue magic, HiddenValue shift) const;
  std::uint32_t emit_rest(BodyEditor& editor, std::uint32_t number, std::uint32_t quotient, HiddenValue divisor) const;

  HiddenIndices hidden_;
  std::optional<std::uint32_t> block_;
};

}  // namespace heddle::ptx
