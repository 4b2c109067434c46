#include "ptx/rewrite/await_arrival.hpp"

#include <algorithm>
#include <map>

#include "ptx/analysis/access/parameter_loads.hpp"
#include "ptx/forms.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/branch.hpp"
#include "ptx/rewrite/lone_kernel.hpp"
#include "ptx/rewrite/twin_body.hpp"

namespace heddle::ptx {
namespace {

constexpr Modifier u64 = modifier_of(Type::u64);
constexpr std::int64_t all_there = -1;
// Between two looks at a word. A GPU full of warps that look more often keeps the copy from going on; a piece of one
// takes some 300 us.
constexpr std::int64_t pause_ns = 20'000;

Operand reg(std::uint32_t index) { return Operand::make_reg(index); }

// nanosleep, and loads that acquire.
bool has_what_waits(const Module& module) {
  return target_number(module) >= 70 && version_number(module) >= 63 && module.address_size == 64;
}

const char* refusal(const Module& module, const Function& function) {
  if (!has_what_waits(module)) return "its PTX is older than PTX 6.3 for sm_70";
  if (uses_variables(module, function)) return "it uses variables of its module";
  if (std::any_of(function.tables.begin(), function.tables.end(),
                  [](const Table& table) { return table.kind == Table::Kind::branch_targets; }))
    return "it branches by a table";
  return nullptr;
}

// Loads of a block of instructions whose addresses are one register and constants, checked together by the last byte of
// all: what has arrived, has arrived from the first byte on.
struct Check {
  std::uint32_t word = 0;  // which one
  std::int64_t end = 0;    // of the last byte, counted from the register
};

bool redefines(const Instruction& inst, std::uint32_t base) {
  bool found = false;
  for_each_def(inst, [&](std::uint32_t index, const Slot&) { found = found || index == base; });
  return found;
}

std::int64_t bytes_of(const Instruction& load) {
  return static_cast<std::int64_t>(byte_size(load.d.type)) * load.d.vector;
}

// By the instruction that the check stands before.
std::map<std::uint32_t, Check> plan_checks(const Function& function,
                                           const std::map<std::uint32_t, std::uint32_t>& word_of) {
  std::vector<bool> labelled(function.body.size() + 1, false), covered(function.body.size(), false);
  for (const Label& label : function.labels) labelled[label.position] = true;
  std::map<std::uint32_t, Check> checks;
  for (const auto& [first, word] : word_of) {
    if (covered[first]) continue;
    const Instruction& load = function.body[first];
    const Operand& address = load.operands[1];
    Check check{word, address.value + bytes_of(load)};
    for (std::uint32_t i = first + 1; i < function.body.size(); ++i) {
      const Instruction& before = function.body[i - 1];
      if (labelled[i] || before.is_terminator() || before.opcode == Opcode::bra || before.opcode == Opcode::call ||
          redefines(before, address.index))
        break;
      const auto other = word_of.find(i);
      const Instruction& inst = function.body[i];
      if (other == word_of.end() || other->second != word || inst.operands[1].index != address.index ||
          inst.guard != load.guard)
        continue;
      check.end = std::max(check.end, inst.operands[1].value + bytes_of(inst));
      covered[i] = true;
    }
    checks.emplace(first, check);
  }
  return checks;
}

class Rewriter {
 public:
  Rewriter(Function& function, std::string_view stem, std::uint32_t first_word, std::size_t words, std::uint32_t whole)
      : editor_(function, stem), first_word_(first_word), words_(words), whole_(whole) {}

  void rewrite(const std::map<std::uint32_t, std::uint32_t>& word_of, const std::map<std::uint32_t, Check>& checks) {
    for (std::uint32_t i = 0; i < editor_.size(); ++i) {
      editor_.begin(i);
      if (i == 0) begin();
      Instruction inst = editor_.take(i);
      if (const auto found = checks.find(i); found != checks.end()) check(inst, found->second);
      if (word_of.contains(i)) drop_nc(inst);
      editor_.emit(std::move(inst));
    }
    editor_.begin(editor_.size());
    for (const Slow& slow : slow_) emit(slow);
    editor_.finish();
  }

 private:
  struct Slow {
    std::uint32_t from, back, end, word;
  };

  // Looks at all words; a warp for which all is there goes to the kernel as it was, together.
  void begin() {
    std::uint32_t missing = 0;
    for (std::uint32_t w = 0; w < words_; ++w) {
      const std::uint32_t generic =
          editor_.compute(Type::b64, Opcode::ld, {Modifier::param, u64},
                          {Operand::make_address_symbol({SymbolRef::Kind::parameter, first_word_ + w})});
      addresses_.push_back(
          editor_.compute(Type::b64, Opcode::cvta, {Modifier::to, Modifier::global, u64}, {reg(generic)}));
      arrived_.push_back(editor_.add_register(Type::b64));
      look(w);
      const std::uint32_t some = editor_.compute(Type::pred, Opcode::setp, {Modifier::ne, u64},
                                                 {{}, reg(arrived_[w]), Operand::make_integer(all_there)});
      missing = w == 0 ? some
                       : editor_.compute(Type::pred, Opcode::or_, {modifier_of(Type::pred)}, {reg(missing), reg(some)});
    }
    const std::uint32_t mask = editor_.compute(Type::b32, Opcode::activemask, {modifier_of(Type::b32)}, {});
    const std::uint32_t any = editor_.compute(
        Type::pred, Opcode::vote, {Modifier::sync, Modifier::any, modifier_of(Type::pred)}, {reg(missing), reg(mask)});
    editor_.emit_if(any, false, branch_to(whole_, {}));
  }

  void look(std::uint32_t word) {
    editor_.emit(Opcode::ld, {Modifier::acquire, Modifier::sys, Modifier::global, u64},
                 {reg(arrived_[word]), Operand::make_address_reg(addresses_[word])});
  }

  void check(const Instruction& load, const Check& check) {
    const std::uint32_t end = editor_.compute(Type::b64, Opcode::add, {modifier_of(Type::s64)},
                                              {reg(load.operands[1].index), Operand::make_integer(check.end)});
    std::uint32_t ahead = 0;
    if (load.guard.present) {
      Operand guard = reg(load.guard.reg);
      guard.negated = load.guard.negated;
      ahead = editor_.compute(Type::pred, Opcode::setp, {Modifier::gt, Modifier::and_, u64},
                              {{}, reg(end), reg(arrived_[check.word]), guard});
    } else {
      ahead = editor_.compute(Type::pred, Opcode::setp, {Modifier::gt, u64}, {{}, reg(end), reg(arrived_[check.word])});
    }
    const Slow slow{editor_.add_label(), editor_.add_label(), end, check.word};
    editor_.emit_if(ahead, true, branch_to(slow.from, {}));
    editor_.place(slow.back);
    slow_.push_back(slow);
  }

  // Out of the way of those that need not wait.
  void emit(const Slow& slow) {
    editor_.place(slow.from);
    look(slow.word);
    const std::uint32_t there =
        editor_.compute(Type::pred, Opcode::setp, {Modifier::le, u64}, {{}, reg(slow.end), reg(arrived_[slow.word])});
    editor_.emit_if(there, true, branch_to(slow.back, {}));
    editor_.emit(Opcode::nanosleep, {modifier_of(Type::u32)}, {Operand::make_integer(pause_ns)});
    editor_.emit(branch_to(slow.from, {}));
  }

  BodyEditor editor_;
  std::uint32_t first_word_;
  std::size_t words_;
  std::uint32_t whole_;
  std::vector<std::uint32_t> addresses_, arrived_;  // registers, by word
  std::vector<Slow> slow_;
};

void add_words(AwaitingKernel& kernel, Function& function, std::string_view stem) {
  std::uint64_t bytes = 0;
  for (const Variable& parameter : function.parameters) {
    const std::uint64_t align = std::max(1u, parameter.alignment());
    bytes = (bytes + align - 1) / align * align + parameter.size();
  }
  constexpr std::uint64_t word = 8;
  bytes = (bytes + word - 1) / word * word;
  kernel.words_offset = static_cast<std::uint32_t>(bytes);
  for (std::size_t w = 0; w < kernel.parameters.size(); ++w) {
    Variable parameter;
    parameter.name = std::string(stem) + "arrived_" + std::to_string(w);
    parameter.space = Space::param;
    parameter.type = Type::u64;
    function.parameters.push_back(std::move(parameter));
    bytes += word;
  }
  kernel.parameter_bytes = static_cast<std::uint32_t>(bytes);
}

}  // namespace

std::optional<AwaitingKernel> await_arrival(const Module& module, std::uint32_t entry, std::string& why) {
  AwaitingKernel kernel;
  std::uint32_t number = 0;
  kernel.module = take_lone_kernel(module, entry, number);
  Function& function = kernel.module.functions[number];
  if (const char* const reason = refusal(kernel.module, function)) {
    why = reason;
    return std::nullopt;
  }
  const std::vector<analysis::ParameterLoads> found = analysis::find_parameter_loads(kernel.module, number);
  std::map<std::uint32_t, std::uint32_t> word_of;  // by load
  for (std::uint32_t p = 0; p < found.size(); ++p) {
    if (!found[p].complete || found[p].loads.empty()) continue;
    for (const std::uint32_t load : found[p].loads)
      word_of[load] = static_cast<std::uint32_t>(kernel.parameters.size());
    kernel.parameters.push_back(p);
  }
  if (kernel.parameters.empty()) {
    why = "none of its arrays is one that it only reads, by plain loads";
    return std::nullopt;
  }
  const std::map<std::uint32_t, Check> checks = plan_checks(function, word_of);
  const std::string stem = unused_stem(kernel.module);
  const auto first_word = static_cast<std::uint32_t>(function.parameters.size());
  add_words(kernel, function, stem);
  const std::uint32_t whole = append_twin(function, stem);
  Rewriter(function, stem, first_word, kernel.parameters.size(), whole).rewrite(word_of, checks);
  return kernel;
}

}  // namespace heddle::ptx
