#include "ptx/rewrite/hoist_loads.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/register_table.hpp"

namespace heddle::ptx {
namespace {

constexpr unsigned spaces = static_cast<unsigned>(Space::param) + 1;

enum class Motion : std::uint8_t {
  fixed,
  arithmetic,
  load,
  store,         // and relaxed atomics: may not pass what may be at the same address
  ordered_load,  // volatile and the like: pass no access to memory
  ordered_store,
};

bool is_arithmetic(Opcode opcode) {
  switch (opcode) {
    case Opcode::abs:
    case Opcode::add:
    case Opcode::and_:
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
    case Opcode::brev:
    case Opcode::clz:
    case Opcode::cnot:
    case Opcode::copysign:
    case Opcode::cos:
    case Opcode::cvt:
    case Opcode::cvta:
    case Opcode::div:
    case Opcode::dp2a:
    case Opcode::dp4a:
    case Opcode::ex2:
    case Opcode::fma:
    case Opcode::lg2:
    case Opcode::lop3:
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::max:
    case Opcode::min:
    case Opcode::mov:
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::neg:
    case Opcode::not_:
    case Opcode::or_:
    case Opcode::popc:
    case Opcode::prmt:
    case Opcode::rcp:
    case Opcode::rem:
    case Opcode::rsqrt:
    case Opcode::sad:
    case Opcode::selp:
    case Opcode::set:
    case Opcode::setp:
    case Opcode::shf:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::sin:
    case Opcode::slct:
    case Opcode::sqrt:
    case Opcode::sub:
    case Opcode::tanh:
    case Opcode::testp:
    case Opcode::xor_: return true;
    default: return false;
  }
}

// A value that changes while the kernel runs.
bool reads_time(const Instruction& inst) {
  return std::any_of(inst.operands.begin(), inst.operands.end(), [](const Operand& operand) {
    return operand.kind == OperandKind::special && operand.special >= SpecialRegister::clock;
  });
}

Motion motion_of(const Instruction& inst) {
  if (inst.has(Modifier::cc)) return Motion::fixed;
  if (is_arithmetic(inst.opcode)) return reads_time(inst) ? Motion::fixed : Motion::arithmetic;
  const Order order = inst.d.order;
  const bool plain = order == Order::weak || order == Order::relaxed;
  if (!plain && order != Order::volatile_) return Motion::fixed;
  const bool weak = order == Order::weak && !inst.has(Modifier::volatile_);
  switch (inst.opcode) {
    case Opcode::ld: return weak ? Motion::load : Motion::ordered_load;
    case Opcode::st: return weak ? Motion::store : Motion::ordered_store;
    case Opcode::atom:
    case Opcode::red: return plain ? Motion::store : Motion::fixed;
    default: return Motion::fixed;
  }
}

// Numbers of registers within a piece, of which most functions have many and most pieces few.
class Numbers {
 public:
  std::uint32_t of(std::uint32_t reg) {
    if (reg >= numbers_.size()) numbers_.resize(reg + 1, none);
    if (numbers_[reg] == none) {
      numbers_[reg] = static_cast<std::uint32_t>(numbered_.size());
      numbered_.push_back(reg);
    }
    return numbers_[reg];
  }
  void clear() {
    for (const std::uint32_t reg : numbered_) numbers_[reg] = none;
    numbered_.clear();
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> numbers_, numbered_;
};

// The instructions of a piece of a basic block that holds nothing fixed, and which must come before which.
class Piece {
 public:
  Piece(const Module* module, const Function& function, const analysis::RegisterTable& table, Numbers& numbers,
        std::uint32_t begin, std::uint32_t end)
      : function_(function), begin_(begin), nodes_(end - begin) {
    numbers.clear();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      add_registers(i, table.of(begin + i), numbers);
      add_memory(i, module);
    }
    find_wanted();
  }

  // The numbers of the instructions, in their new order.
  std::vector<std::uint32_t> order(unsigned in_flight) {
    std::vector<std::uint32_t> result;
    Ready wanted, all;
    const auto make_ready = [&](std::uint32_t i) { (nodes_[i].wanted ? wanted : all).push(i); };
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].before == 0) make_ready(i);
    unsigned loads = 0;  // that nothing has used yet
    while (result.size() < nodes_.size()) {
      // With enough in flight, the original order: it comes to the first use soon.
      const bool early = !wanted.empty() && (loads < in_flight || all.empty() || wanted.top() < all.top());
      Ready& from = early ? wanted : all;
      const std::uint32_t next = from.top();
      from.pop();
      result.push_back(begin_ + next);
      if (nodes_[next].load) ++loads;
      for (const std::uint32_t value : nodes_[next].values) {
        if (!nodes_[value].load || nodes_[value].used) continue;
        nodes_[value].used = true;
        --loads;
      }
      for (const std::uint32_t after : nodes_[next].after)
        if (--nodes_[after].before == 0) make_ready(after);
    }
    return result;
  }

 private:
  using Ready = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;
  struct Node {
    std::vector<std::uint32_t> after, values;  // what waits for it; instructions whose values it uses
    std::uint32_t before = 0;                  // how many it waits for
    bool load = false, wanted = false, used = false;
  };
  struct State {
    std::uint32_t defined = none;
    std::vector<std::uint32_t> used;  // since then
  };
  static constexpr std::uint32_t none = 0xffffffff;

  void edge(std::uint32_t from, std::uint32_t to) {
    if (from == none || from == to) return;
    if (!nodes_[from].after.empty() && nodes_[from].after.back() == to) return;
    nodes_[from].after.push_back(to);
    ++nodes_[to].before;
  }

  void add_registers(std::uint32_t i, std::span<const analysis::RegisterOccurrence> occurrences, Numbers& numbers) {
    for (const auto& occurrence : occurrences) {
      const std::uint32_t number = numbers.of(occurrence.reg);
      if (number == states_.size()) states_.emplace_back();
      State& reg = states_[number];
      if (!occurrence.is_def) {
        edge(reg.defined, i);
        if (reg.defined != none) nodes_[i].values.push_back(reg.defined);
        reg.used.push_back(i);
        continue;
      }
      edge(reg.defined, i);
      for (const std::uint32_t use : reg.used) edge(use, i);
      reg.used.clear();
      reg.defined = i;
    }
  }

  void add_memory(std::uint32_t i, const Module* module) {
    const Instruction& inst = function_.body[begin_ + i];
    const Motion motion = motion_of(inst);
    if (motion == Motion::arithmetic) return;
    Space space = Space::generic;
    const auto note = [&](const analysis::MemoryEffect& effect) { space = effect.space; };
    if (module != nullptr)
      analysis::for_each_memory_effect(*module, function_, inst, note);
    else
      analysis::for_each_memory_effect(inst, note);
    if (motion == Motion::ordered_load || motion == Motion::ordered_store) space = Space::generic;
    nodes_[i].load =
        motion == Motion::ordered_load || (motion == Motion::load && space != Space::constant && space != Space::param);
    if (motion == Motion::load) {
      for (unsigned other = 0; other < spaces; ++other)
        if (may_meet(space, static_cast<Space>(other))) edge(stored_[other], i);
      loaded_.push_back(i);
      return;
    }
    // Stores keep their order, and come after the loads before them.
    edge(last_store_, i);
    for (const std::uint32_t load : loaded_) edge(load, i);
    loaded_.clear();
    last_store_ = stored_[static_cast<unsigned>(space)] = i;
  }

  static bool may_meet(Space load, Space store) {
    if (load == Space::constant) return false;
    return load == store || load == Space::generic || store == Space::generic;
  }

  // Loads, and what their addresses and guards are computed by. What must come before one for another reason, as the
  // last use of a register that it writes, stays where it is.
  void find_wanted() {
    for (auto i = static_cast<std::uint32_t>(nodes_.size()); i-- > 0;) {
      nodes_[i].wanted |= nodes_[i].load;
      if (!nodes_[i].wanted) continue;
      for (const std::uint32_t value : nodes_[i].values) nodes_[value].wanted = true;
    }
  }

  const Function& function_;
  std::uint32_t begin_;
  std::vector<Node> nodes_;
  std::vector<State> states_;          // of registers, by Numbers
  std::vector<std::uint32_t> loaded_;  // since the last store
  std::array<std::uint32_t, spaces> stored_ = {none, none, none, none, none, none};
  std::uint32_t last_store_ = none;
};

void hoist(const Module* module, Function& function, unsigned in_flight) {
  if (function.body.empty()) return;
  const analysis::ControlFlowGraph cfg(function, module);
  const analysis::RegisterTable table(function);
  Numbers numbers;
  std::vector<std::uint32_t> order;
  order.reserve(function.body.size());
  for (const analysis::BasicBlock& block : cfg.blocks()) {
    for (std::uint32_t begin = block.begin; begin < block.end;) {
      std::uint32_t end = begin;
      while (end < block.end && motion_of(function.body[end]) != Motion::fixed) ++end;
      for (const std::uint32_t i : Piece(module, function, table, numbers, begin, end).order(in_flight))
        order.push_back(i);
      if (end < block.end) order.push_back(end++);
      begin = end;
    }
  }
  std::vector<Instruction> body;
  body.reserve(order.size());
  for (const std::uint32_t i : order) body.push_back(std::move(function.body[i]));
  function.body = std::move(body);
}

}  // namespace

void hoist_loads(Function& function, unsigned in_flight) { hoist(nullptr, function, in_flight); }

Module hoist_loads(const Module& module, unsigned in_flight) {
  Module result = module;
  for (Function& function : result.functions) hoist(&module, function, in_flight);
  return result;
}

}  // namespace heddle::ptx
