#include "ptx/rewrite/block_ranges_pool.hpp"

#include "ptx/rewrite/branch.hpp"

namespace heddle::ptx {
namespace {

using S = SpecialRegister;

constexpr Modifier u32 = modifier_of(Type::u32), b32 = modifier_of(Type::b32), pred = modifier_of(Type::pred);
constexpr std::int64_t no_block = 0xffffffff;

Operand reg(std::uint32_t index) { return Operand::make_reg(index); }

// Emits the parts of the loop's head.
class HeadEmitter {
 public:
  HeadEmitter(BodyEditor& editor, const PoolPlan& plan, const HiddenIndices& hidden, std::uint32_t slot, Type address)
      : editor_(editor), plan_(plan), hidden_(hidden), address_(address) {
    slot_ = Operand::make_address_symbol({SymbolRef::Kind::local_variable, slot});
  }

  void finish_copies() {
    if (plan_.waits_for_copies) editor_.emit(Opcode::cp, {Modifier::proxy_async, Modifier::wait_all}, {});
    if (!plan_.waits_for_bulk_copies) return;
    editor_.emit(Opcode::cp, {Modifier::proxy_async, Modifier::bulk, Modifier::commit_group}, {});
    editor_.emit(Opcode::cp, {Modifier::proxy_async, Modifier::bulk, Modifier::wait_group}, {Operand::make_integer(0)});
  }

  void barrier() {
    const Operand id = Operand::make_integer(plan_.barrier);
    if (plan_.converged)
      editor_.emit(Opcode::bar, {Modifier::sync}, {id, {}});
    else
      editor_.emit(Opcode::barrier, {Modifier::sync}, {id, {}});
  }

  // Only the first thread goes on; the others branch to `label`.
  void first_thread_only(std::uint32_t label) {
    std::uint32_t any = editor_.read(S::tid_x);
    for (S component : {S::tid_y, S::tid_z}) any = binary(Opcode::or_, b32, any, reg(editor_.read(component)));
    const std::uint32_t other = set_if(Modifier::ne, any, Operand::make_integer(0));
    Instruction branch = branch_to(label, {});
    decode(branch);
    editor_.emit_if(other, true, std::move(branch));
  }

  // A predicate that tells that no more blocks are to be taken.
  std::uint32_t stopped(bool processor_mask) {
    const std::uint32_t control = global_address(HiddenValue::control);
    const std::uint32_t word = load_word(control, 0);
    std::uint32_t stop = set_if(Modifier::ne, word, Operand::make_integer(0));
    if (!processor_mask) return stop;
    const std::uint32_t processor = editor_.read(S::smid);
    const std::uint32_t index = binary(Opcode::shr, u32, processor, Operand::make_integer(5));
    const std::uint32_t mask = load_word(element(control, index), 4);
    const std::uint32_t bit = binary(Opcode::and_, b32, processor, Operand::make_integer(31));
    const std::uint32_t allowed =
        binary(Opcode::and_, b32, binary(Opcode::shr, u32, mask, reg(bit)), Operand::make_integer(1));
    const std::uint32_t denied = set_if(Modifier::ne, allowed, Operand::make_integer(1));
    return editor_.compute(Type::pred, Opcode::or_, {pred}, {reg(stop), reg(denied)});
  }

  // Takes the next number unless `stop` holds, and puts it where the others find it.
  void take(std::uint32_t stop) {
    const std::uint32_t number = editor_.compute(Type::b32, Opcode::mov, {u32}, {Operand::make_integer(no_block)});
    const std::uint32_t counter = global_address(HiddenValue::counter);
    editor_.emit_if(stop, false,
                    make_instruction(Opcode::atom, {Modifier::global, Modifier::add, u32},
                                     {reg(number), Operand::make_address_reg(counter), Operand::make_integer(1)}));
    editor_.emit(Opcode::st, {Modifier::shared, u32}, {slot_, reg(number)});
  }

  std::uint32_t read_number() { return editor_.compute(Type::b32, Opcode::ld, {Modifier::shared, u32}, {slot_}); }

  void leave_at_end(std::uint32_t number) {
    const std::uint32_t end = emit_hidden(editor_, hidden_, HiddenValue::end);
    const std::uint32_t over = set_if(Modifier::ge, number, reg(end));
    editor_.emit_if(over, true, make_instruction(Opcode::exit, {}, {}));
  }

 private:
  std::uint32_t binary(Opcode opcode, Modifier type, std::uint32_t a, Operand b) {
    return editor_.compute(Type::b32, opcode, {type}, {reg(a), std::move(b)});
  }

  std::uint32_t set_if(Modifier compare, std::uint32_t a, Operand b) {
    return editor_.compute(Type::pred, Opcode::setp, {compare, u32}, {{}, reg(a), std::move(b)});
  }

  Type register_type() const { return address_ == Type::u64 ? Type::b64 : Type::b32; }

  std::uint32_t global_address(HiddenValue value) {
    const std::uint32_t generic = emit_hidden(editor_, hidden_, value, address_);
    return editor_.compute(register_type(), Opcode::cvta, {Modifier::to, Modifier::global, modifier_of(address_)},
                           {reg(generic)});
  }

  // Somebody else writes it while the kernel runs, perhaps the host.
  std::uint32_t load_word(std::uint32_t address, std::int64_t offset) {
    return editor_.compute(Type::b32, Opcode::ld, {Modifier::volatile_, Modifier::global, u32},
                           {Operand::make_address_reg(address, offset)});
  }

  // The address of a 32-bit element.
  std::uint32_t element(std::uint32_t base, std::uint32_t index) {
    constexpr std::int64_t bytes = 4;
    const Modifier half = address_ == Type::u64 ? Modifier::wide : Modifier::lo;
    return editor_.compute(register_type(), Opcode::mad, {half, u32},
                           {reg(index), Operand::make_integer(bytes), reg(base)});
  }

  BodyEditor& editor_;
  const PoolPlan& plan_;
  const HiddenIndices& hidden_;
  Operand slot_;
  Type address_;
};

}  // namespace

PoolLoop emit_pool_head(BodyEditor& editor, const PoolPlan& plan, const HiddenIndices& hidden, std::uint32_t slot,
                        Type address_type, bool processor_mask) {
  HeadEmitter head(editor, plan, hidden, slot, address_type);
  PoolLoop loop;
  loop.again = editor.add_label();
  const std::uint32_t wait = editor.add_label();
  editor.place(loop.again);
  editor.add_pragma("nounroll");
  head.finish_copies();
  head.barrier();  // nobody is in the block before any more
  head.first_thread_only(wait);
  head.take(head.stopped(processor_mask));
  editor.place(wait);
  head.barrier();  // the number is there
  loop.block = head.read_number();
  head.leave_at_end(loop.block);
  return loop;
}

}  // namespace heddle::ptx
