// Addresses of memory accesses: where each lane's bytes are, in the cheapest form that holds.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_registers.hpp"
#include "device/cpu/codegen/emitter_spaces.hpp"

namespace heddle::device::cpu {

// An affine address that comes from one widening of source + step * lane, scaled: enough to find the exact one.
struct Wrapped {
  llvm::Value* source = nullptr;  // lane 0's value, extended to i64
  std::int64_t step = 0, scale = 1;
  bool is_signed = false;
  unsigned width = 32;
};

// An address in host memory for each lane.
struct Address {
  enum class Form { uniform, affine, varying } form = Form::uniform;
  llvm::Value* base = nullptr;          // ptr of every lane (uniform) or of lane 0 (affine)
  std::vector<std::int64_t> offsets;    // of each lane from lane 0
  llvm::Value* vector = nullptr;        // vector of ptr (varying)
  llvm::Value* ok = nullptr;            // affine: i1, whether the form holds this time (null: always)
  std::function<llvm::Value*()> exact;  // emits the vector of ptr for when it does not
  std::optional<Wrapped> wrapped;       // the same in fewer words, where it is that simple
  bool is_parameter = false;            // of the kernel: nothing writes there during the launch

  Address& settle();  // uniform or affine, by the offsets
};

class Addresses : private EmitterPart {
 public:
  Addresses(FunctionContext& context, StateSpaces& spaces, Registers& registers)
      : EmitterPart(context), spaces_(spaces), registers_(registers) {}

  // The address operand of an instruction.
  Address of(const ptx::Operand& operand, ptx::Space space);
  Address of_place(const SymbolPlace& place);
  Address advance(const Address& address, std::int64_t bytes);
  // One pointer a lane, whatever the form, exact.
  Value* lane_pointers(const Address& address);
  // The pointer, or pointers, at an address in a window (null: the address is absolute).
  Value* pointer_at(Value* window, Value* address);

 private:
  std::optional<Wrapped> wrapped_source(std::uint32_t reg);

  StateSpaces& spaces_;
  Registers& registers_;
};

}  // namespace heddle::device::cpu
