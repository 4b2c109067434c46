// Emits LLVM IR for one function of a kernel: all lanes of a warp at once, with masks where control flow diverges.
//
// Values. Each register (one def-use web, see ptx/rewrite/split_webs.hpp) has a form:
//   uniform  the same in every lane that runs: a scalar
//   affine   lane l holds base + stride*l: the scalar base (lane 0's value) and a constant stride
//   varying  a vector with one element a lane
// An instruction whose results are uniform or affine is emitted once, in scalar form, on lane 0's operands.
//
// Control flow follows Schedule. Masks are vectors of i1; a null mask means that all lanes take part. In the one-lane
// shape (lanes() == 1) every value is uniform and there are no masks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/cpu/codegen/emitter_context.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/schedule.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

class FunctionEmitter : private EmitterPart {
 public:
  explicit FunctionEmitter(FunctionContext& context);

  // Emits the whole body behind the end of the builder's block, which must have no terminator. Every path leads to
  // inputs.end.
  void emit(llvm::IRBuilder<>& entry);

  // void f(LaunchContext*, WarpContext*, iW mask, ptr parameters, ptr returns): a compiled .func. The frames hold one
  // record a lane.
  static llvm::FunctionType* function_type(const KernelContext& kernel);

 private:
  // An affine address that comes from one widening of source + step * lane, scaled: enough to find the exact one.
  struct Wrapped {
    Value* source = nullptr;  // lane 0's value, extended to i64
    std::int64_t step = 0, scale = 1;
    bool is_signed = false;
    unsigned width = 32;
  };
  // An address in host memory for each lane.
  struct Address {
    enum class Form { uniform, affine, varying } form = Form::uniform;
    Value* base = nullptr;              // ptr of every lane (uniform) or of lane 0 (affine)
    std::vector<std::int64_t> offsets;  // of each lane from lane 0
    Value* vector = nullptr;            // vector of ptr (varying)
    Value* ok = nullptr;                // affine: i1, whether the form holds this time (null: always)
    std::function<Value*()> exact;      // emits the vector of ptr for when it does not
    std::optional<Wrapped> wrapped;     // the same in fewer words, where it is that simple
    Address& settle();                  // uniform or affine, by the offsets
  };
  // What a group of merged loads has read.
  struct MergedRows {
    std::vector<Value*> elements;  // vectors of integers
    Value* untouched = nullptr;    // i1: no store behind the first load writes any of it (null: there is none)
  };
  struct Rows {
    Value* base = nullptr;      // ptr; null: of_lanes is a vector of ptr
    Value* of_lanes = nullptr;  // vector of i64
  };
  struct Meeting;

  // emitter_values.cpp: registers and operands
  std::optional<Wrapped> wrapped_source(std::uint32_t reg);

  // emitter_special.cpp

  // emitter_control.cpp
  void emit_block(std::uint32_t block);
  static bool ends_block(const ptx::Instruction& inst);
  void finish_block(std::uint32_t block);
  void finish_branch(std::uint32_t block, const ptx::Instruction& branch);
  void finish_indexed_branch(std::uint32_t block, const ptx::Instruction& branch);
  void finish_exit(std::uint32_t block, const ptx::Instruction* exit);
  void leave_along(std::uint32_t block, std::size_t edge);
  void wait_at(std::uint32_t block, Value* mask);
  void go_on_after(std::uint32_t block);
  llvm::BasicBlock* body(std::uint32_t block);
  llvm::BasicBlock* look(std::uint32_t block);
  llvm::BasicBlock* loop_end(std::uint32_t loop, std::uint32_t last_block);
  llvm::BasicBlock* at_position(std::uint32_t position);
  void emit_places();
  void emit_look(std::uint32_t block, llvm::BasicBlock* place);
  void emit_loop_end(std::uint32_t loop, std::uint32_t last_block, llvm::BasicBlock* place);
  std::uint32_t mask_root(std::uint32_t block) const;
  bool turn_may_wait(std::uint32_t block, std::uint32_t target) const;
  void emit_turn();
  Value* uniform_predicate(const ptx::Operand& predicate);

  // emitter.cpp: instructions
  void emit_instruction(const ptx::Instruction& inst);
  void emit_behind_branch(const ptx::Instruction& inst);
  void dispatch(const ptx::Instruction& inst);
  void emit_arithmetic(const ptx::Instruction& inst);
  void emit_mov(const ptx::Instruction& inst);
  static ptx::Type part_type(unsigned bits);
  bool uses_carry(const ptx::Instruction& inst) const;
  Value* read_carry();

  // emitter_memory.cpp
  void emit_load(const ptx::Instruction& inst);
  void emit_store(const ptx::Instruction& inst);
  void emit_prefetch(const ptx::Instruction& inst);
  static const ptx::Operand& first_element(const ptx::Operand& operand);
  Value* pointer_at(Value* window, Value* address);
  Address address_of(const ptx::Operand& operand, ptx::Space space);
  Address record_of(const SymbolPlace& place);
  Address advance(const Address& address, std::int64_t bytes);
  Value* lane_pointers(const Address& address);  // vector of ptr, exact
  unsigned run_length(const Address& address, std::int64_t bytes) const;
  static std::vector<int> numbers(unsigned first, unsigned count);
  Value* concatenate(std::vector<Value*> parts);
  Value* load_runs(const Address& address, llvm::Type* element, unsigned bytes, unsigned length, Value* mask,
                   ptx::Space space);
  void stream_or(Value* pointer, Value* value, Value* mask, const std::function<void()>& plain);
  void store_runs(const Address& address, Value* value, unsigned bytes, unsigned length, Value* mask, ptx::Space space);
  Value* load_few(const Address& address, llvm::Type* element, unsigned bytes, ptx::Space space);
  Value* repeated(Value* mask, unsigned count);
  std::vector<Value*> load_interleaved(const Address& address, llvm::Type* element, unsigned count, unsigned bytes,
                                       Value* mask, ptx::Space space);
  void store_interleaved(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask,
                         ptx::Space space);
  std::vector<Value*> load_elements(const Address& address, llvm::Type* element, unsigned count, unsigned bytes,
                                    Value* mask, ptx::Space space);
  void store_elements(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask,
                      ptx::Space space);
  Value* gather(Value* pointers, llvm::Type* element, std::uint64_t align, Value* mask);
  void scatter(Value* pointers, Value* value, std::uint64_t align, Value* mask);
  void order_before(const ptx::Instruction& inst);
  void order_after(const ptx::Instruction& inst);
  void tag(llvm::Instruction* access, ptx::Space space);

  // emitter_rows.cpp
  std::vector<Value*> merged_elements(const ptx::Instruction& inst, const std::vector<MergedLoads::Place>& places);
  MergedRows load_group(const LoadGroup& group, ptx::Space space);
  Value* untouched_by_stores(const LoadGroup& group, const Address& address, ptx::Space space);
  Rows rows_of(const LoadGroup& group, const Address& address, ptx::Space space);
  Value* spare_row();
  std::vector<Value*> row_pointers(const LoadGroup& group, const Address& address, ptx::Space space);
  std::vector<Value*> load_rows(const LoadGroup& group, const std::vector<Value*>& pointers, ptx::Space space);
  Value* joined_rows(const std::vector<Value*>& rows, unsigned bytes);
  std::vector<Value*> transposed(const std::vector<Value*>& rows, unsigned bytes, unsigned count);
  Value* interleaved(Value* a, Value* b, unsigned in_block, unsigned half);
  std::vector<Value*> separated(const std::vector<Value*>& parts, unsigned in_block);
  std::vector<Value*> picked(Value* all, unsigned count);

  // emitter_slow.cpp
  llvm::Function* slow_access(llvm::Type* element, bool is_store);
  llvm::Function* slow_wrapped_access(llvm::Type* element, bool is_store, bool is_signed, unsigned width);
  llvm::Function* slow_function(
      const std::string& name, std::vector<llvm::Type*> arguments, llvm::Type* element, bool is_store,
      const std::function<Value*(llvm::IRBuilder<>&, llvm::Function*, Value* lane)>& address_of_lane);
  void call_slow(llvm::Function* function, llvm::ArrayRef<Value*> arguments);
  void slow_access_of(const Address& address, llvm::Type* element, Value* values, Value* mask, bool is_store);
  Value* slow_gather(const Address& address, llvm::Type* element, Value* mask);
  void slow_scatter(const Address& address, Value* value, Value* mask);

  // emitter_whole.cpp
  bool is_whole_access(const ptx::Instruction& inst, ptx::Space space) const;
  llvm::Type* whole_type(unsigned bytes);
  std::vector<Value*> load_whole(const Address& address, llvm::Type* element, unsigned count, unsigned bytes,
                                 Value* mask);
  void store_whole(Value* pointer, const std::vector<Value*>& parts, unsigned bytes);
  void store_whole_lanes(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask);

  // emitter_spaces.cpp
  void emit_cvta(const ptx::Instruction& inst);
  void emit_isspacep(const ptx::Instruction& inst);
  void emit_fence(const ptx::Instruction& inst);
  void emit_cp_async(const ptx::Instruction& inst);
  void copy_byte_if(Value* target, Value* source, unsigned offset, Value* condition);
  // `sizes`: where fewer bytes than that may be accessed, the numbers, in memory, by lane.
  void check_access(const ptx::Instruction& inst, const ptx::Operand& operand, ptx::Space space, unsigned bytes,
                    std::uint32_t access, Value* mask, Value* sizes = nullptr);

  // emitter_lane_memory.cpp
  bool lane_slot_access(const ptx::Instruction& inst, bool is_store);
  llvm::AllocaInst* lane_slot(std::uint32_t variable, std::int64_t offset, unsigned bytes);
  Address lane_record(std::uint32_t variable);
  Value* read_lane_variable(std::uint32_t variable, std::int64_t offset, ptx::Type type);
  void write_lane_variable(std::uint32_t variable, std::int64_t offset, ptx::Type type, Value* value, Value* mask);
  void copy_lane_records(const ptx::SymbolRef& symbol, Value* frame, std::uint64_t stride, std::uint64_t bytes,
                         Value* mask, bool to_frame);

  // emitter_atomics.cpp
  void emit_atomic(const ptx::Instruction& inst);
  static const ptx::Operand& memory_operand(const ptx::Instruction& inst);
  Value* atomic_lane(const ptx::Instruction& inst, Value* pointer, Value* operand, Value* replacement);
  Value* combine(const ptx::Instruction& inst, Value* pointer, Value* old, Value* operand);
  bool emit_uniform_reduction(const ptx::Instruction& inst, const Address& address, const ptx::Operand& operand,
                              Value* mask);

  // emitter_mbarrier.cpp
  void emit_mbarrier(const ptx::Instruction& inst);
  void update_mbarrier(const ptx::Instruction& inst);

  // emitter_warp.cpp and, for the one-lane shape, emitter_meet.cpp
  void emit_shfl(const ptx::Instruction& inst);
  void emit_vote(const ptx::Instruction& inst);
  void emit_match(const ptx::Instruction& inst);
  void emit_redux(const ptx::Instruction& inst);
  void emit_elect(const ptx::Instruction& inst);
  void emit_activemask(const ptx::Instruction& inst);
  void emit_barrier(const ptx::Instruction& inst);
  void emit_lone_barrier(const ptx::Instruction& inst, BarrierKind kind, Value* held);
  void emit_warp_barrier(const ptx::Instruction& inst);
  Value* members(const ptx::Instruction& inst, const ptx::Operand* operand);
  void check_members(const ptx::Instruction& inst);
  bool has_groups(const ptx::Operand& members) const;
  Value* permute(Value* values, Value* index);
  Value* reduce_lanes(const ptx::Instruction& inst, Value* values, Value* mask);
  Value* reduce_floats(const ptx::Instruction& inst, Value* values, Value* mask);

  // emitter_warp_groups.cpp
  Value* group_bits(const ptx::Instruction& inst, const ptx::Operand& members);
  Value* group_leaders(Value* groups);
  void emit_group_vote(const ptx::Instruction& inst);
  void emit_group_elect(const ptx::Instruction& inst);
  void emit_group_match_all(const ptx::Instruction& inst);
  void emit_group_redux(const ptx::Instruction& inst);
  void emit_met_warp_operation(const ptx::Instruction& inst);
  Meeting meet(const ptx::Instruction& inst, const ptx::Operand* member_mask, Value* value);
  void for_each_bit(Value* bits, const std::function<void(Value*)>& emit);
  Value* lanes_where(const Meeting& meeting, const std::function<Value*(Value*)>& condition);
  void emit_met_shfl(const ptx::Instruction& inst);
  void emit_met_vote(const ptx::Instruction& inst);
  void emit_met_match(const ptx::Instruction& inst);
  void emit_met_redux(const ptx::Instruction& inst);

  // emitter_calls.cpp
  void emit_call(const ptx::Instruction& call);
  bool emit_builtin_call(const ptx::Instruction& call, const std::string& callee);
  Value* argument(const ptx::Instruction& call, unsigned i, ptx::Type type);
  void set_result(const ptx::Instruction& call, ptx::Type type, Value* value);
  void call_for_lanes(const ptx::Instruction& call, ptx::Type result_type, const std::vector<Value*>& arguments,
                      const std::function<Value*(Value* lane, const std::vector<Value*>&)>& make);
  void emit_function_call(const ptx::Instruction& call, const std::vector<ptx::Variable>& parameters,
                          const std::vector<ptx::Variable>& returns,
                          const std::function<void(Value*, Value*, Value*)>& make);
  void emit_indirect(const ptx::Instruction& call, Value* targets, Value* mask, Value* parameters, Value* returns);
  void emit_trap(const ptx::Instruction& inst);
  void emit_nanosleep(const ptx::Instruction& inst);

  const Schedule& schedule_;
  Values values_;
  RuntimeAccess& runtime_;
  StateSpaces& spaces_;
  SpecialRegisters& special_;
  ArithmeticEmitter& arithmetic_;
  Registers& registers_;
  Branches& branches_;

  std::vector<llvm::AllocaInst*> mask_slots_, pending_slots_;
  std::vector<llvm::BasicBlock*> bodies_, looks_;
  std::map<std::uint32_t, llvm::BasicBlock*> loop_ends_;
  std::vector<std::function<void()>> places_;  // looks and loop ends still to be emitted
  std::map<std::pair<std::uint32_t, std::int64_t>, llvm::AllocaInst*> lane_slots_;
  std::vector<MergedRows> merged_;  // by group: what has been read
  llvm::AllocaInst* spare_row_ = nullptr;
  llvm::AllocaInst* carry_ = nullptr;  // condition code register
  llvm::AllocaInst* spins_ = nullptr;
};

}  // namespace heddle::device::cpu
