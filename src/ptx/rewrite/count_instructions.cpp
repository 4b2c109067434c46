#include "ptx/rewrite/count_instructions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/lone_kernel.hpp"

namespace heddle::ptx {
namespace {

constexpr Modifier u64 = modifier_of(Type::u64);
constexpr std::int64_t word = 8;  // bytes

Operand reg(std::uint32_t index) { return Operand::make_reg(index); }

bool accesses_memory(const Instruction& inst) {
  bool found = false;
  analysis::for_each_memory_effect(inst, [&](const analysis::MemoryEffect& effect) {
    found = found || effect.space == Space::global || effect.space == Space::local || effect.space == Space::generic;
  });
  return found;
}

bool leaves_kernel(const Instruction& inst) { return inst.opcode == Opcode::ret || inst.opcode == Opcode::exit; }

// After it, other instructions may follow than the next one.
bool ends_block(const Instruction& inst) {
  return leaves_kernel(inst) || inst.is_terminator() || inst.opcode == Opcode::bra || inst.opcode == Opcode::trap;
}

std::string refusal(const Module& module, const Function& function) {
  if (module.address_size != 64) return "its addresses have 32 bits";
  if (uses_variables(module, function)) return "it uses variables of its module";
  const auto is = [&](Opcode opcode) {
    return std::any_of(function.body.begin(), function.body.end(),
                       [&](const Instruction& inst) { return inst.opcode == opcode; });
  };
  if (is(Opcode::call)) return "it calls a function that cannot be made part of it";
  if (is(Opcode::brx)) return "it branches by a table";
  return {};
}

// By the first instruction of each basic block: how many it has.
struct BlockSizes {
  std::vector<std::int64_t> instructions, accesses;
};

BlockSizes sizes_of(const Function& function) {
  std::vector<bool> begins(function.body.size() + 1, false);
  for (const Label& label : function.labels) begins[label.position] = true;
  for (std::size_t i = 0; i < function.body.size(); ++i)
    if (ends_block(function.body[i])) begins[i + 1] = true;
  BlockSizes sizes{std::vector<std::int64_t>(function.body.size(), 0),
                   std::vector<std::int64_t>(function.body.size(), 0)};
  std::size_t block = 0;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (begins[i]) block = i;
    ++sizes.instructions[block];
    if (accesses_memory(function.body[i])) ++sizes.accesses[block];
  }
  return sizes;
}

class Counter {
 public:
  // `sizes`: of the function as it is.
  Counter(Function& function, BlockSizes sizes, std::string_view stem)
      : editor_(function, stem),
        sizes_(std::move(sizes)),
        parameter_(static_cast<std::uint32_t>(function.parameters.size())) {
    Variable counts;
    counts.name = std::string(stem) + "counts";
    counts.space = Space::param;
    counts.type = Type::u64;
    function.parameters.push_back(counts);
  }

  void rewrite() {
    const bool falls_out = editor_.reaches_end();
    for (std::uint32_t i = 0; i < editor_.size(); ++i) {
      editor_.begin(i);
      if (i == 0) begin();
      if (sizes_.instructions[i] != 0) add(count_, sizes_.instructions[i]);
      if (sizes_.accesses[i] != 0) add(access_count_, sizes_.accesses[i]);
      Instruction inst = editor_.take(i);
      if (leaves_kernel(inst)) report(inst.guard);
      editor_.emit(std::move(inst));
    }
    editor_.begin(editor_.size());
    if (falls_out) report({});
    editor_.finish();
  }

 private:
  void begin() {
    const std::uint32_t generic =
        editor_.compute(Type::b64, Opcode::ld, {Modifier::param, u64},
                        {Operand::make_address_symbol({SymbolRef::Kind::parameter, parameter_})});
    counts_ = editor_.compute(Type::b64, Opcode::cvta, {Modifier::to, Modifier::global, u64}, {reg(generic)});
    count_ = editor_.compute(Type::u64, Opcode::mov, {u64}, {Operand::make_integer(0)});
    access_count_ = editor_.compute(Type::u64, Opcode::mov, {u64}, {Operand::make_integer(0)});
  }

  void add(std::uint32_t to, std::int64_t count) {
    editor_.emit(Opcode::add, {u64}, {reg(to), reg(to), Operand::make_integer(count)});
  }

  // What the thread has counted, if it leaves the kernel here.
  void report(const Guard& guard) {
    const std::uint32_t counters[] = {count_, access_count_};
    for (std::int64_t i = 0; i < 2; ++i) {
      Instruction add_up = make_instruction(Opcode::red, {Modifier::global, Modifier::add, u64},
                                            {Operand::make_address_reg(counts_, i * word), reg(counters[i])});
      if (guard.present)
        editor_.emit_if(guard.reg, !guard.negated, std::move(add_up));
      else
        editor_.emit(std::move(add_up));
    }
  }

  BodyEditor editor_;
  const BlockSizes sizes_;
  const std::uint32_t parameter_;
  std::uint32_t counts_ = 0, count_ = 0, access_count_ = 0;
};

}  // namespace

CountingKernel count_instructions(const Module& module, std::uint32_t entry) {
  CountingKernel made;
  std::uint32_t place = 0;
  made.module = take_lone_kernel(module, entry, place);
  Function& function = made.module.functions[place];
  made.name = function.name;
  made.why_refused = refusal(made.module, function);
  if (!made.why_refused.empty()) return made;
  const std::string stem = unused_stem(made.module);
  Counter(function, sizes_of(function), stem).rewrite();
  return made;
}

}  // namespace heddle::ptx
