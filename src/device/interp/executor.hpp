// Executes single instructions of single threads, and warp operations of groups.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/interp/block.hpp"
#include "heddle/error.hpp"

namespace heddle::device::interp {

// How an instruction involves other threads.
enum class Involves : std::uint8_t { nobody, gathering, meeting, barrier };
Involves involves(const ptx::Instruction& inst);

class Executor {
 public:
  explicit Executor(LaunchContext& launch) : launch_(launch) {}

  // Executes the instruction at which the thread stands, which must involve nobody else, and moves it on. Throws Error
  // for faults, with the place.
  void step(Block& block, Thread& thread);
  // True when the guard of the thread's instruction lets it execute; else the thread moves on.
  bool guard_holds(Block& block, Thread& thread);

  // A .sync operation: the mask that the thread names.
  std::uint32_t member_mask(Block& block, Thread& thread);
  // The operation among `members` (by lane, null: does not take part), which all stand at it; moves them on.
  void warp_operation(Block& block, std::span<Thread* const> members);

  // A barrier instruction, decoded for this thread.
  struct BarrierUse {
    std::uint32_t id = 0, threads = 0;
    bool waits = true, has_predicate = false, predicate = false;
  };
  BarrierUse barrier_use(Block& block, Thread& thread);
  // Gives the thread the result of its bar.red, if it is one, and moves it on.
  void leave_barrier(Block& block, Thread& thread, const Barrier& barrier);

  // "kernel 'k', block (0, 0, 0), thread (1, 0, 0), PTX line 12 (k.cu:3)"
  std::string place(const Block& block, const Thread& thread) const;
  [[noreturn]] void fault(const std::string& what, KernelFault kind = KernelFault::other) const;
  // Whether nanosleep was executed since the last call.
  bool take_yield() { return std::exchange(yielded_, false); }

 private:
  using Value = ptx::semantics::Value;
  struct Place {
    ptx::Space space = ptx::Space::generic;
    std::uint64_t address = 0;
  };
  enum class Access : std::uint8_t { read, write, read_write };

  void enter(Block& block, Thread& thread);
  void report(const Block& block, const Thread& thread, std::size_t depth) const;
  void run_instruction();
  [[noreturn]] void refuse() const;

  // Operands
  const ptx::Operand& operand(unsigned i) const { return inst_->operands[i]; }
  ptx::Type slot_type(unsigned i) const { return (*slots_)[i].type; }
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

  // Memory
  Place place_of(const ptx::Operand& operand, ptx::Space space);
  // The host's address of so many bytes. Reports those that it may not access, and addresses that are no multiple of
  // the alignment.
  std::byte* resolve(Place place, std::uint64_t size, Access access, std::uint64_t alignment);
  std::byte* resolve(Place place, std::uint64_t size, Access access) { return resolve(place, size, access, size); }
  std::byte* local_memory(std::uint64_t offset, std::uint64_t size);
  [[noreturn]] void bad_access(Place place, std::uint64_t size, Access access, const std::string& why) const;
  Value load(Place place, std::uint64_t size);
  void store(Place place, std::uint64_t size, Value value);
  void note_change(const std::byte* at);
  void load_instruction();
  void store_instruction();
  void copy_async();
  void mbarrier_instruction();
  void update_mbarrier();
  void check_mbarrier();
  void atomic(bool has_result);
  Value combine(ptx::Type type, Value old, Value b, Value c, bool flush) const;

  // Control flow
  void branch(std::uint32_t label);
  void indexed_branch();
  void call();
  void enter_function(const Code& code, const ptx::Instruction& inst, const ptx::Operand& arguments);
  void return_from_function();
  void exit_thread();
  void system_call(const std::string& name, const ptx::Instruction& inst);
  void watch_spin();

  // System calls
  std::uint64_t argument_value(const ptx::Operand& arguments, unsigned i);
  void return_value(const ptx::Instruction& inst, std::uint64_t value);
  std::string read_string(std::uint64_t address, std::size_t most = std::string::npos);
  std::int32_t print(std::uint64_t format, std::uint64_t arguments);
  std::uint64_t allocate(std::uint64_t bytes);
  void release(std::uint64_t address);

  // Warp operations
  void shuffle(std::span<Thread* const> members);
  void vote(std::span<Thread* const> members);
  void match(std::span<Thread* const> members);
  void reduce(std::span<Thread* const> members);
  void elect(std::span<Thread* const> members);

  LaunchContext& launch_;
  Block* block_ = nullptr;
  Thread* thread_ = nullptr;
  const ptx::Instruction* inst_ = nullptr;
  const Code* code_ = nullptr;  // that it is of
  const ptx::SlotList* slots_ = nullptr;
  bool yielded_ = false;
  bool jumped_ = false;  // the instruction has set the program counter itself
};

}  // namespace heddle::device::interp
