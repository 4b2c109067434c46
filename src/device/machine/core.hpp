// Executes instructions of warps: one decoded instruction for any set of the lanes that are at it. Reports its effects.
//
// The core does not decide the order. A scheduler (the interpreter, a model of time) chooses the lanes and calls
// step(). Lanes that step() reports as waiting stay at their instruction until the scheduler lets them continue:
//   - at a warp operation: by perform() for the lanes that take part;
//   - at a barrier: by arrive() for each lane, then release() when the barrier is complete.
// All functions throw Error for faults of the kernel, with their place. Effects before the fault have happened then,
// and the grid must not be executed further.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "device/machine/block.hpp"
#include "device/machine/effects.hpp"
#include "device/machine/row_group.hpp"
#include "heddle/error.hpp"

namespace heddle::device::machine {

// Where and when a core executes: what special registers show, and what it counts there.
struct Site {
  std::uint32_t processor = 0, processors = 1;  // %smid, %nsmid
  std::uint32_t warps = 64;                     // %nwarpid
  // In a model of time, %clock and %globaltimer: its cycle, and the nanoseconds of one. Null: the instructions executed
  // so far, and the machine's clock.
  const std::uint64_t* cycle = nullptr;
  double cycle_ns = 0;
  // What Machine::memory_epoch is elsewhere; null: that one. Cores that run at the same time have one each.
  std::uint64_t* memory_epoch = nullptr;
};

class Core {
 public:
  explicit Core(Grid& grid, const Site& site = {})
      : grid_(grid),
        machine_(grid.machine),
        site_(site),
        memory_epoch_(site.memory_epoch ? *site.memory_epoch : grid.machine.memory_epoch) {}

  // Thread instructions executed so far.
  std::uint64_t instructions() const { return instructions_; }

  // Executes the operation at which `lanes` are: at least one lane, all runnable and at the same place. Lanes execute
  // in ascending order, each completely. So a lane sees the writes of the lanes before it.
  // Effects count the lanes as `threads` does.
  void step(Block& block, const LaneThreads& threads, LaneMask lanes, Effects& effects);
  void step(Block& block, const Warp& warp, LaneMask lanes, Effects& effects) {
    step(block, warp.lanes, lanes, effects);
  }

  // Executes the warp operation at which `members` wait, all with the same opcode and suffixes, and advances them.
  void perform(Block& block, const LaneThreads& threads, LaneMask members, Effects& effects);

  // Counts a thread that has arrived at a barrier, and advances it if it does not wait there. Returns whether the
  // barrier is complete now.
  bool arrive(Block& block, Thread& thread, const BarrierUse& use);
  // A barrier of the whole block is complete when every thread has arrived or exited. A barrier with a number of
  // threads is complete when the warps that have arrived have that number of threads in total. Exited threads of these
  // warps count, and the last warp of the block counts as full.
  static bool is_complete(const Block& block, const Barrier& barrier);
  // Advances the threads that wait at the barrier, with their results of bar.red, and resets the barrier.
  void release(Block& block, unsigned id);

  // "kernel 'k', block (0, 0, 0), thread (1, 0, 0), PTX line 12 (k.cu:3)"
  std::string place(const Block& block, const Thread& thread) const;
  // "PTX line 12 (k.cu:3)": where the thread is; empty at the end of a function's text.
  std::string line_of(const Thread& thread) const;

 private:
  using Value = ptx::semantics::Value;
  struct Place {
    ptx::Space space = ptx::Space::generic;
    std::uint64_t address = 0;
  };
  // A resolved place: the host's address; the space and the address in it, as in MemoryAccess.
  struct Resolved {
    std::byte* at = nullptr;
    Place place;
  };
  enum class Access : std::uint8_t { read, write, read_write };
  class PrintfSource;

  // Where the lanes' bytes lie: address - origin in the space; address + to_host on the host.
  struct RowPlaces {
    Row address;
    ptx::Space space = ptx::Space::generic;
    std::uint64_t origin = 0, to_host = 0;
  };

  // Instructions for all lanes at once.
  bool step_rows(const LaneThreads& threads, LaneMask lanes);
  const std::uint64_t* source_row(const RowSource& source, const RowGroup& group, LaneMask lanes, Row& buffer);
  void compute_rows(const RowGroup& group, LaneMask lanes);
  void branch_rows(const RowGroup& group, LaneMask lanes, LaneMask taken);
  bool has_matrix_rows(const LaneThreads& threads, LaneMask lanes, const RowPlaces& places) const;
  bool place_rows(const RowGroup& group, LaneMask lanes, const ptx::Operand& operand, unsigned bytes, bool writes,
                  RowPlaces& places);
  bool check_rows(std::uint64_t low, std::uint64_t end, bool writes, RowPlaces& places);
  void note_rows(const RowPlaces& places, LaneMask lanes, unsigned bytes, AccessKind kind);
  bool load_rows(const RowGroup& group, LaneMask lanes);
  bool store_rows(const RowGroup& group, LaneMask lanes);
  const AddressMap::Holder* holder_of(std::uint64_t address, std::uint64_t bytes);

  void enter(Block& block, Thread& thread);
  bool guard_holds();
  void run();
  void record_wait(LaneMask lane);
  void report(std::size_t depth) const;
  [[noreturn]] void fault(const std::string& what, KernelFault kind = KernelFault::other) const;
  // At the place of the current thread, by the one with this index.
  [[noreturn]] void fault(const std::string& what, KernelFault kind, const Dim3& index) const;
  std::string place(const Block& block, const Thread& at, const Dim3& index) const;
  [[noreturn]] void refuse() const;

  // Operands
  const ptx::Operand& operand(unsigned i) const { return inst_->operands[i]; }
  ptx::Type slot_type(unsigned i) const { return op_->slots[i].type; }
  Value read(const ptx::Operand& operand, ptx::Type type);
  Value read(unsigned i) { return read(operand(i), slot_type(i)); }
  std::uint64_t read_word(unsigned i) { return read(i).lo; }
  void write(const ptx::Operand& operand, ptx::Type type, Value value);
  void write(unsigned i, Value value) { write(operand(i), slot_type(i), value); }
  Value special(ptx::SpecialRegister which);
  std::uint64_t symbol_address(const ptx::SymbolRef& symbol);
  const ptx::Variable& variable_of(const ptx::SymbolRef& symbol) const;

  // Data movement
  void move();
  void convert_address();
  void is_space();
  void evaluate();
  void allocate_stack();
  void restore_stack();

  // Memory
  Place place_of(const ptx::Operand& operand, ptx::Space space);
  // Throws a fault for bytes that may not be accessed, and for addresses that are not a multiple of the alignment.
  Resolved resolve(Place place, std::uint64_t size, Access access, std::uint64_t alignment);
  Resolved resolve(Place place, std::uint64_t size, Access access) { return resolve(place, size, access, size); }
  Resolved resolve_allocation(Place place, std::uint64_t size, Access access);
  std::byte* local_memory(std::uint64_t offset, std::uint64_t size);
  [[noreturn]] void bad_access(Place place, std::uint64_t size, Access access, const std::string& why) const;
  [[noreturn]] void bad_access(Place place, std::uint64_t size, Access access, const std::string& why,
                               const Thread& thread) const;
  void check_matrix_row(Place place, Access access) const;
  Value load(Place place, std::uint64_t size);
  void store(std::byte* at, std::uint64_t size, const void* bytes);
  void note_access(const Resolved& where, std::uint64_t size, AccessKind kind);
  void load_instruction();
  void store_instruction();
  void copy_async();
  std::byte* mbarrier_word();
  void update_mbarrier();
  void count_mbarrier();
  void atomic(bool has_result);
  void access_texture();
  std::uint64_t texture_handle(const ptx::Operand& object);
  // Checks an access of a texture or surface, and records it.
  bool permit_texture(std::uint64_t address, std::uint32_t bytes, AccessKind kind);
  Value combine(ptx::Type type, Value old, Value b, Value c, bool flush) const;

  // Control flow
  void branch(std::uint32_t label);
  void indexed_branch();
  void call();
  void enter_function(const Code& code, const ptx::Operand& arguments);
  Value pass_argument(const ptx::Operand& argument, const ptx::Variable& parameter, std::byte* to);
  void return_from_function();
  void exit_thread();

  // System calls
  void system_call(const std::string& name);
  std::uint64_t argument_value(const ptx::Operand& arguments, unsigned i);
  void return_value(std::uint64_t value);
  std::string read_string(std::uint64_t address);
  std::int32_t print(std::uint64_t format, std::uint64_t arguments);
  std::uint64_t allocate(std::uint64_t bytes);
  void release_heap(std::uint64_t address);

  // Warp operations, and the operands of warp operations and barriers
  std::uint32_t member_mask();
  BarrierUse barrier_use();
  void shuffle(std::span<Thread* const> members);
  void vote(std::span<Thread* const> members);
  void match(std::span<Thread* const> members);
  void reduce(std::span<Thread* const> members);
  void elect(std::span<Thread* const> members);
  void multiply(std::span<Thread* const> members);

  Grid& grid_;
  Machine& machine_;
  const Site site_;
  std::uint64_t& memory_epoch_;
  std::uint64_t instructions_ = 0;
  // The current instruction.
  Block* block_ = nullptr;
  Thread* thread_ = nullptr;
  unsigned lane_ = 0;  // of the thread, in the threads that step() was given
  const Operation* op_ = nullptr;
  const ptx::Instruction* inst_ = nullptr;
  const ptx::Function* function_ = nullptr;  // of the instruction
  Effects* effects_ = nullptr;
  bool jumped_ = false;          // the instruction has set the program counter itself
  AddressMap::Holder holder_{};  // holder_of()
  std::uint64_t holder_version_ = ~std::uint64_t{0};
};

}  // namespace heddle::device::machine
