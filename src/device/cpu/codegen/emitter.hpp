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

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "device/cpu/codegen/abi_types.hpp"
#include "device/cpu/codegen/arithmetic.hpp"
#include "device/cpu/codegen/function_facts.hpp"
#include "device/cpu/codegen/schedule.hpp"
#include "device/cpu/codegen/shared_layout.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

// What all functions of one kernel's object share.
struct KernelContext {
  const ptx::Module& source;
  llvm::LLVMContext& llvm;
  llvm::Module& module;
  const AbiTypes& abi;
  HostFeatures features;
  unsigned lanes = 32;
  Dim3 block;
  bool check = false;
  bool fibers = false;
  const SharedLayout& shared;
  std::map<std::uint32_t, llvm::Function*> functions;  // compiled .func bodies by index in source.functions
  llvm::DIFile* file = nullptr;
  llvm::DIBuilder* debug = nullptr;
};

// The values that every warp's code starts from, set by the surrounding loop (kernel.cpp).
struct WarpInputs {
  llvm::Value* launch = nullptr;        // LaunchContext*
  llvm::Value* warp = nullptr;          // WarpContext*
  llvm::Value* shared = nullptr;        // base of the shared window
  llvm::Value* block_id[3] = {};        // %ctaid, i32
  llvm::Value* first_thread = nullptr;  // linear id of lane 0, i32
  llvm::Value* streams = nullptr;       // i1: streaming stores pay in this launch; null: never
  llvm::Value* mask = nullptr;          // lanes that start; null: all
  llvm::Value* parameters = nullptr;    // kernel parameters, or the frame of a call
  llvm::Value* returns = nullptr;       // frame for the results of a call
  llvm::BasicBlock* end = nullptr;      // where the warp is done
};

class FunctionEmitter {
 public:
  FunctionEmitter(KernelContext& kernel, const FunctionFacts& facts, llvm::Function* function,
                  const WarpInputs& inputs);

  // Emits the whole body behind the end of the builder's block, which must have no terminator. Every path leads to
  // inputs.end.
  void emit(llvm::IRBuilder<>& entry);

  // void f(LaunchContext*, WarpContext*, iW mask, ptr parameters, ptr returns): a compiled .func. The frames hold one
  // record a lane.
  static llvm::FunctionType* function_type(const KernelContext& kernel);

 private:
  using Value = llvm::Value;

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
  struct SymbolPlace {
    Value* pointer = nullptr;
    std::int64_t stride = 0;  // bytes from lane to lane
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
  unsigned lanes() const { return kernel_.lanes; }
  llvm::Type* carrier_of(ptx::Type type, bool vector) const {
    return carrier(kernel_.llvm, type, vector ? lanes() : 0);
  }
  llvm::Type* vector_of(llvm::Type* element) const;
  ValueForm form_of(const ptx::Operand& operand) const;
  bool is_scalar(const ptx::Operand& operand) const { return form_of(operand).kind == ValueForm::Kind::uniform; }
  Value* lane0(const ptx::Operand& operand, ptx::Type type);   // scalar carrier of `type`
  Value* vector(const ptx::Operand& operand, ptx::Type type);  // vector carrier of `type`
  Value* read(std::uint32_t reg);  // as it is stored: scalar for uniform and affine registers
  Value* register_vector(std::uint32_t reg);
  Value* rebuild(std::uint32_t reg);
  Value* no_wrap(std::uint32_t assumption);
  std::optional<Wrapped> wrapped_source(std::uint32_t reg);
  void check_no_wrap(std::uint32_t assumption);
  void write(std::uint32_t reg, Value* value);
  void write_operand(const ptx::Operand& operand, ptx::Type type, Value* value);
  Value* guard_value(bool as_vector);
  void store_register(std::uint32_t reg, Value* value);
  bool needs_blend(std::uint32_t reg) const;
  bool register_is_read(std::uint32_t reg) const { return facts_.is_read[reg]; }
  llvm::AllocaInst* slot(std::uint32_t reg);
  Value* splat(Value* scalar);
  Value* lane_numbers(llvm::IntegerType* type);                        // <0, 1, 2, ...>
  Value* ramp(Value* base, const std::vector<std::int64_t>& offsets);  // base + offset of each lane
  std::vector<std::int64_t> lane_steps(std::int64_t bytes) const;      // bytes * lane
  Value* fit(Value* value, ptx::Type type);  // bitcast, truncate or zero-extend to the carrier
  Value* constant(const ptx::Operand& operand, ptx::Type type);
  Value* canonical_nan(Value* value);                      // 32 bits; see NanBits
  Value* seen(const ptx::Operand& operand, Value* value);  // what the instruction sees of a register
  llvm::AllocaInst* entry_alloca(llvm::Type* type, const llvm::Twine& name);

  // emitter_special.cpp
  Value* field(Value* object, std::size_t offset, llvm::Type* type);
  Value* special_scalar(ptx::SpecialRegister special);
  Value* special_index(ptx::SpecialRegister special);
  Value* special_vector(ptx::SpecialRegister special);
  Value* lane_mask(ptx::SpecialRegister special, Value* lane);
  Value* block_context();
  Value* runtime_table();
  Value* variable_pointer(std::uint32_t index);
  SymbolPlace symbol_place(const ptx::SymbolRef& symbol);
  Value* symbol_address(const ptx::SymbolRef& symbol, std::int64_t offset);

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
  Value* mask_bits(Value* mask);  // integer with one bit a lane
  Value* any(Value* mask);
  Value* both(Value* a, Value* b);  // conjunction of masks; null means all
  Value* full_mask();
  Value* mask_or_full(Value* mask) { return mask ? mask : full_mask(); }
  bool turn_may_wait(std::uint32_t block, std::uint32_t target) const;
  void emit_turn();
  Value* uniform_predicate(const ptx::Operand& predicate);
  Value* first_active(Value* vector_value);
  void in_branch(const std::function<void()>& emit);
  void when_any(Value* mask, const std::function<void()>& emit);

  // emitter.cpp: instructions
  void emit_instruction(const ptx::Instruction& inst);
  void emit_behind_branch(const ptx::Instruction& inst);
  void dispatch(const ptx::Instruction& inst);
  void emit_arithmetic(const ptx::Instruction& inst);
  void emit_mov(const ptx::Instruction& inst);
  static ptx::Type part_type(unsigned bits);
  bool has_lane_address(const ptx::SymbolRef& symbol) const;
  bool uses_carry(const ptx::Instruction& inst) const;
  Value* read_carry();
  Value* instruction_mask(const ptx::Instruction& inst);  // mask of the block and a varying guard; null: all
  bool guarded_by_lanes(const ptx::Instruction& inst) const;
  [[noreturn]] void refuse(const ptx::Instruction& inst, const std::string& why) const;
  void set_location(const ptx::Instruction& inst);
  bool results_scalar(const ptx::Instruction& inst) const;

  // emitter_memory.cpp
  void emit_load(const ptx::Instruction& inst);
  void emit_store(const ptx::Instruction& inst);
  void emit_prefetch(const ptx::Instruction& inst);
  static const ptx::Operand& first_element(const ptx::Operand& operand);
  ptx::Space effective_space(ptx::Space space, const ptx::Operand& operand) const;
  llvm::Type* memory_type(ptx::Type type);
  llvm::Type* wide_like(Value* value);
  Value* pointer_at(Value* window, Value* address);
  Address address_of(const ptx::Operand& operand, ptx::Space space);
  Address record_of(const SymbolPlace& place);
  Address advance(const Address& address, std::int64_t bytes);
  Value* lane_pointers(const Address& address);  // vector of ptr, exact
  Value* either_way(const Address& address, const std::function<Value*()>& fast, const std::function<Value*()>& slow);
  std::vector<Value*> either_way_all(const Address& address, const std::function<std::vector<Value*>()>& fast,
                                     const std::function<std::vector<Value*>()>& slow);
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
  Value* window_base(ptx::Space space);  // what addresses of the space are offsets from; null: absolute
  Value* last_active(Value* vector_value, Value* mask);

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
  void for_each_lane(Value* mask, const std::function<void(Value*)>& emit);
  Value* spill(Value* vector_value);
  Value* element_at(Value* spilled, llvm::Type* element, Value* lane);
  Value* element_pointer(Value* spilled, llvm::Type* element, Value* lane);
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
  Value* cvta_value(const ptx::Instruction& inst, Value* address);
  void emit_isspacep(const ptx::Instruction& inst);
  Value* shared_bytes();
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
  Value* local_base();

  // emitter_atomics.cpp
  void emit_atomic(const ptx::Instruction& inst);
  static const ptx::Operand& memory_operand(const ptx::Instruction& inst);
  Value* atomic_lane(const ptx::Instruction& inst, Value* pointer, Value* operand, Value* replacement);
  Value* combine(const ptx::Instruction& inst, Value* pointer, Value* old, Value* operand);
  Value* points_into_shared(Value* pointer);
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
  void emit_bad_jump(const ptx::Instruction& inst, Value* scalar_target, Value* mask, Value* vector_target = nullptr);
  void emit_nanosleep(const ptx::Instruction& inst);
  Value* first_lane(Value* mask);
  llvm::CallInst* call_runtime(std::size_t offset, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
  void note_line(const ptx::Instruction& inst);

  KernelContext& kernel_;
  const FunctionFacts& facts_;
  const ptx::Function& function_;
  const Schedule& schedule_;
  llvm::Function* llvm_function_;
  WarpInputs inputs_;
  llvm::IRBuilder<> b_;
  ArithmeticEmitter arithmetic_;
  llvm::DISubprogram* scope_ = nullptr;

  // State of the block being emitted.
  std::uint32_t block_ = 0;
  std::uint32_t index_ = 0;  // of the instruction
  Value* mask_ = nullptr;
  Value* guard_value_ = nullptr;        // of the instruction, once asked for
  bool guard_done_ = false;             // the guard of the instruction is a branch around it
  std::vector<Value*> current_;         // latest value of each register within the block
  std::vector<std::uint32_t> touched_;  // registers with an entry in current_
  std::vector<Value*> current_no_wrap_;
  std::vector<std::pair<std::uint32_t, Value*>>* captured_ = nullptr;  // definitions behind a branch

  std::vector<llvm::AllocaInst*> slots_, no_wrap_, mask_slots_, pending_slots_;
  std::vector<llvm::BasicBlock*> bodies_, looks_;
  std::map<std::uint32_t, llvm::BasicBlock*> loop_ends_;
  std::vector<std::function<void()>> places_;  // looks and loop ends still to be emitted
  std::map<std::pair<std::uint32_t, std::int64_t>, llvm::AllocaInst*> lane_slots_;
  std::vector<MergedRows> merged_;  // by group: what has been read
  llvm::AllocaInst* spare_row_ = nullptr;
  llvm::AllocaInst* carry_ = nullptr;  // condition code register
  llvm::AllocaInst* spins_ = nullptr;
  llvm::Instruction* alloca_point_ = nullptr;
  Value* local_base_ = nullptr;
};

}  // namespace heddle::device::cpu
