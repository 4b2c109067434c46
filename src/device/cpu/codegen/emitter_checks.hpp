// --check: accesses are compared with what is known of memory, and looked up by the runtime where that is not enough;
// accesses of shared and global memory are recorded, and member masks of warp operations looked at.
#pragma once

#include <optional>
#include <vector>

#include "device/cpu/abi.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_range_tests.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/settled_reads.hpp"
#include "device/cpu/codegen/value_uses.hpp"

namespace heddle::device::cpu {

class CheckCalls : private EmitterPart {
 public:
  CheckCalls(FunctionContext& context, Values& values)
      : EmitterPart(context),
        runtime_(values.runtime),
        spaces_(values.spaces),
        registers_(values.registers),
        branches_(values.branches),
        ranges_(context, values) {}

  // Every address of every lane of `mask`. `sizes`: where fewer bytes than that may be accessed, the numbers, in
  // memory, by lane.
  void check_access(const ptx::Instruction& inst, const ptx::Operand& operand, ptx::Space space, unsigned bytes,
                    std::uint32_t access, Value* mask, Value* sizes = nullptr, Value* values = nullptr);
  // Whether a store's values are wanted: to tell writes of the same value from others.
  bool wants_values() const { return kernel_.checks.race; }
  // A lane must not take part in what its member mask does not name it for.
  void check_members(const ptx::Instruction& inst);
  // An instruction that orders accesses, or that lanes wait at for each other.
  void note_order(const ptx::Instruction& inst, OrderKind kind, const ptx::Operand* members = nullptr);
  // An aligned barrier whose lanes must all give it the same numbers: its own, and how many threads.
  void note_barrier(const ptx::Instruction& inst, const ptx::Operand& number, const ptx::Operand& threads);
  // The same for fences and operations of a warp; nothing for others.
  void note_order(const ptx::Instruction& inst);

 private:
  // The bits of CheckedAccess that are for check_marked.
  std::uint32_t marks_of(const ptx::Instruction& inst, unsigned bytes) const;
  // The access may need no record: only the place of the code and what the runtime knows decide.
  bool may_be_exempt(ptx::Space space, std::uint32_t marks) const;
  // Whether the thread does more with what it loads than to store it; of shared memory, whichever way it goes on.
  bool is_read_for_atomic(const ptx::Instruction& inst) const;
  bool computes_with(const ptx::Operand& destination, ptx::Space space) const;
  Value* active_bits(Value* mask);
  void order(const ptx::Instruction& inst, OrderKind kind, Value* members);
  Value* of_lanes(const ptx::Operand& operand);
  Value* in_memory(Value* of_lanes);
  // Lanes whose addresses are as many bytes apart, from that of lane 0 on, where `ok` holds (null: always).
  struct Run {
    Value *address = nullptr, *ok = nullptr;
    std::int64_t step = 0;
  };
  std::optional<Run> run_of(const ptx::Operand& operand, ptx::Space space, unsigned bytes);
  // Each lane's address, in memory; of shared and local memory the offsets.
  Value* spilled_addresses(const ptx::Operand& operand, ptx::Space space);
  // What check_access() asks of the check of memory, and of those of races and uninitialised memory.
  void verify(const ptx::Instruction& inst, const ptx::Operand& operand, ptx::Space space, unsigned bytes,
              std::uint32_t access, Value* mask, Value* sizes);
  void record(const ptx::Instruction& inst, const ptx::Operand& operand, ptx::Space space, unsigned bytes,
              std::uint32_t marks, Value* mask, Value* sizes, Value* values, std::uint64_t site);
  void record_all(const ptx::Operand& operand, ptx::Space space, Value* sizes, llvm::ArrayRef<Value*> common,
                  std::uint64_t site);
  llvm::Function* slow_check();

  RuntimeAccess& runtime_;
  StateSpaces& spaces_;
  Registers& registers_;
  Branches& branches_;
  RangeTests ranges_;
  mutable std::optional<ValueUses> uses_;        // once asked for
  mutable std::optional<SettledReads> settled_;  // the same
};

}  // namespace heddle::device::cpu
