#include "ptx/analysis/flow/webs.hpp"

#include <algorithm>
#include <unordered_map>

#include "ptx/analysis/flow/liveness.hpp"

namespace heddle::ptx::analysis {
namespace {

// Disjoint sets of SSA names with path halving.
class UnionFind {
 public:
  std::uint32_t add() {
    parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
    return parent_.back();
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void unite(std::uint32_t a, std::uint32_t b) { parent_[find(b)] = find(a); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(parent_.size()); }

 private:
  std::vector<std::uint32_t> parent_;
};

// Places phis and renames by a walk of the dominator tree.
class Renamer {
 public:
  Renamer(const ControlFlowGraph& cfg, const DominatorTree& tree, const Function& function, const RegisterTable& table)
      : cfg_(cfg), tree_(tree), function_(function), table_(table) {
    name_of_.assign(table.all().size(), no_web);
    merges.assign(table.all().size(), false);
  }

  void run() {
    place_phis();
    current_.assign(function_.registers.size(), no_web);
    returned_.assign(function_.return_registers.size(), no_web);
    undefined_.assign(function_.registers.size(), no_web);
    for (std::uint32_t reg : function_.parameter_registers) {
      if (reg >= current_.size()) continue;
      current_[reg] = new_name(reg);
      names_[current_[reg]].parameter = true;
    }
    parameters_ = current_;
    walk();
    name_unreachable();
    for (auto& list : phis_)
      for (Phi& phi : list) number_equal_values(phi);
  }

  struct Phi {
    std::uint32_t reg = 0, name = no_web;
    std::vector<std::uint32_t> values;
  };
  struct Name {
    std::uint32_t reg = 0;
    bool parameter = false, undefined = false;
    std::uint32_t definition = no_web;  // occurrence that defines it; none for phis and parameters
  };
  std::vector<bool> merges;
  UnionFind sets;
  std::span<const std::uint32_t> name_of() const { return name_of_; }
  std::span<const Name> names() const { return names_; }
  std::span<const std::uint32_t> parameters() const { return parameters_; }
  std::span<const std::vector<Phi>> phis() const { return phis_; }

 private:
  std::uint32_t new_name(std::uint32_t reg) {
    names_.push_back({reg});
    return sets.add();
  }

  // Blocks that define a register that lives across blocks; other registers need no phi.
  std::vector<std::vector<std::uint32_t>> defining_blocks(const Liveness& live) const {
    std::vector<bool> crosses(function_.registers.size(), false);
    for (std::uint32_t b : cfg_.order()) live.for_each_live_in(b, [&](std::uint32_t reg) { crosses[reg] = true; });
    std::vector<std::vector<std::uint32_t>> blocks(function_.registers.size());
    for (std::uint32_t b : cfg_.order()) {
      for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i)
        for (const RegisterOccurrence& item : table_.of(i))
          if (item.is_def && crosses[item.reg] && (blocks[item.reg].empty() || blocks[item.reg].back() != b))
            blocks[item.reg].push_back(b);
    }
    return blocks;
  }

  void place_phis() {
    const Liveness live(cfg_, function_, table_);
    const auto frontiers = dominance_frontiers(cfg_.graph(), tree_);
    const auto defining = defining_blocks(live);
    phis_.resize(cfg_.size());
    std::vector<std::uint32_t> placed(cfg_.size(), no_node);
    for (std::uint32_t reg = 0; reg < defining.size(); ++reg) {
      std::vector<std::uint32_t> work = defining[reg];
      while (!work.empty()) {
        const std::uint32_t from = work.back();
        work.pop_back();
        for (std::uint32_t b : frontiers[from]) {
          if (placed[b] == reg || !live.live_in(b, reg)) continue;
          placed[b] = reg;
          phis_[b].push_back({reg, no_web, std::vector<std::uint32_t>(cfg_.predecessors(b).size(), no_web)});
          work.push_back(b);
        }
      }
    }
  }

  struct Undo {
    std::uint32_t reg = 0, name = no_web;
  };

  void set_current(std::uint32_t reg, std::uint32_t name) {
    undo_.push_back({reg, current_[reg]});
    current_[reg] = name;
  }

  void walk() {
    struct Frame {
      std::uint32_t block = 0;
      std::size_t undo = 0;
    };
    std::vector<Frame> stack;
    for (std::uint32_t b : tree_.preorder()) {
      while (!stack.empty() && stack.back().block != tree_.immediate(b)) {
        restore(stack.back().undo);
        stack.pop_back();
      }
      stack.push_back({b, undo_.size()});
      rename_block(b);
    }
  }

  void restore(std::size_t size) {
    for (; undo_.size() > size; undo_.pop_back()) current_[undo_.back().reg] = undo_.back().name;
  }

  void rename_block(std::uint32_t b) {
    for (Phi& phi : phis_[b]) {
      if (phi.name == no_web) phi.name = new_name(phi.reg);
      if (b == 0) merge_into(phi);  // the caller's value, or none, arrives from outside the graph
      set_current(phi.reg, phi.name);
    }
    for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) rename_instruction(i);
    for (std::uint32_t next : cfg_.successors(b)) {
      if (phis_[next].empty()) continue;
      const auto before = cfg_.predecessors(next);  // ascending
      const auto edge = static_cast<std::size_t>(std::lower_bound(before.begin(), before.end(), b) - before.begin());
      for (Phi& phi : phis_[next]) {
        if (phi.name == no_web) phi.name = new_name(phi.reg);
        merge_into(phi);
        phi.values[edge] = current_[phi.reg];
      }
    }
  }

  void merge_into(const Phi& phi) {
    if (current_[phi.reg] == no_web)
      names_[phi.name].undefined = true;
    else
      sets.unite(phi.name, current_[phi.reg]);
  }

  void rename_instruction(std::uint32_t i) {
    const auto items = table_.of(i);
    for (std::uint32_t k = 0; k < items.size(); ++k) {
      const RegisterOccurrence& item = items[k];
      const std::uint32_t at = table_.first(i) + k;
      if (!item.is_def) {
        name_of_[at] = current_[item.reg] != no_web ? current_[item.reg] : undefined(item.reg);
        if (item.operand == return_operand) unite_returned(item.element, name_of_[at]);
        continue;
      }
      const std::uint32_t name = name_of_[at] = new_name(item.reg);
      names_[name].definition = at;
      instruction_of_.emplace(at, i);
      if (item.tied) sets.unite(name, current_[item.reg] != no_web ? current_[item.reg] : undefined(item.reg));
      if (item.guarded && current_[item.reg] != no_web) {
        merges[at] = true;
        sets.unite(name, current_[item.reg]);
      } else if (item.guarded) {
        names_[name].undefined = true;
      }
      set_current(item.reg, name);
    }
  }

  void unite_returned(std::uint32_t result, std::uint32_t name) {
    if (returned_[result] == no_web)
      returned_[result] = name;
    else
      sets.unite(returned_[result], name);
  }

  std::uint32_t undefined(std::uint32_t reg) {
    if (undefined_[reg] == no_web) {
      undefined_[reg] = new_name(reg);
      names_[undefined_[reg]].undefined = true;
    }
    return undefined_[reg];
  }

  // Compilers repeat a computation on both sides of a branch: what meets is then one value under two names. Of many
  // values, only those with one hash are compared.
  void number_equal_values(Phi& phi) const {
    constexpr std::size_t few = 8;
    const bool hashed = phi.values.size() > few;
    std::unordered_map<std::size_t, std::vector<std::uint32_t>> seen;
    for (std::uint32_t& value : phi.values) {
      auto& alike = seen[hashed ? hash_of(value, deepest_comparison) : 0];
      const auto same = std::find_if(alike.begin(), alike.end(),
                                     [&](std::uint32_t other) { return same_value(value, other, deepest_comparison); });
      if (same != alike.end())
        value = *same;
      else
        alike.push_back(value);
    }
  }

  static constexpr int deepest_comparison = 4;

  // The same for all values that same_value() takes for one.
  std::size_t hash_of(std::uint32_t name, int depth) const {
    const auto mix = [](std::size_t hash, std::size_t with) {
      return (hash ^ (with + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdull;
    };
    if (name == no_web || depth == 0 || names_[name].definition == no_web) return mix(1, name);
    const std::uint32_t at = names_[name].definition, i = instruction_of_.at(at);
    const Instruction& inst = function_.body[i];
    if (inst.guard.present || !is_pure(inst)) return mix(1, name);
    const RegisterOccurrence& defined = table_.all()[at];
    std::size_t hash = mix(mix(mix(2, static_cast<std::size_t>(inst.opcode)), defined.operand), defined.element);
    for (const Operand& operand : inst.operands)
      if (operand.kind == OperandKind::integer) hash = mix(hash, static_cast<std::size_t>(operand.value));
    const auto items = table_.of(i);
    for (std::uint32_t k = 0; k < items.size(); ++k)
      if (!items[k].is_def) hash = mix(hash, hash_of(name_of_[table_.first(i) + k], depth - 1));
    return hash;
  }

  bool same_value(std::uint32_t a, std::uint32_t b, int depth) const {
    if (a == b) return true;
    if (a == no_web || b == no_web || depth == 0) return false;
    const std::uint32_t da = names_[a].definition, db = names_[b].definition;
    if (da == no_web || db == no_web) return false;
    const RegisterOccurrence &ra = table_.all()[da], &rb = table_.all()[db];
    const std::uint32_t ia = instruction_of_.at(da), ib = instruction_of_.at(db);
    const Instruction &x = function_.body[ia], &y = function_.body[ib];
    if (ia == ib || ra.operand != rb.operand || ra.element != rb.element || x.opcode != y.opcode || x.guard.present ||
        y.guard.present || !(x.modifiers == y.modifiers) || !is_pure(x) || x.operands.size() != y.operands.size())
      return false;
    for (std::size_t o = 0; o < x.operands.size(); ++o) {
      Operand left = x.operands[o], right = y.operands[o];
      forget_registers(left);
      forget_registers(right);
      if (!(left == right)) return false;
    }
    const auto uses_a = table_.of(ia), uses_b = table_.of(ib);
    if (uses_a.size() != uses_b.size()) return false;
    for (std::uint32_t k = 0; k < uses_a.size(); ++k) {
      if (uses_a[k].is_def) continue;
      if (uses_a[k].operand != uses_b[k].operand || uses_a[k].element != uses_b[k].element ||
          !same_value(name_of_[table_.first(ia) + k], name_of_[table_.first(ib) + k], depth - 1))
        return false;
    }
    return true;
  }

  // The result depends on the operands alone.
  bool is_pure(const Instruction& inst) const {
    switch (inst.opcode) {
      case Opcode::mov:
        return inst.operands[1].kind != OperandKind::special || inst.operands[1].special <= SpecialRegister::laneid;
      case Opcode::ld:
        return inst.d.space == Space::param && function_.is_entry && inst.operands[1].base == OperandKind::symbol;
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::mad:
      case Opcode::neg:
      case Opcode::not_:
      case Opcode::and_:
      case Opcode::or_:
      case Opcode::xor_:
      case Opcode::shl:
      case Opcode::shr:
      case Opcode::cvt:
      case Opcode::cvta:
      case Opcode::min:
      case Opcode::max:
      case Opcode::bfe:
      case Opcode::selp:
      case Opcode::setp: return !inst.d.carry_out;
      default: return false;
    }
  }

  static void forget_registers(Operand& operand) {
    if (operand.kind == OperandKind::reg || operand.base == OperandKind::reg) operand.index = 0;
    for (Operand& element : operand.elements) forget_registers(element);
  }

  void name_unreachable() {
    for (std::uint32_t at = 0; at < name_of_.size(); ++at)
      if (name_of_[at] == no_web) name_of_[at] = undefined(table_.all()[at].reg);
  }

  const ControlFlowGraph& cfg_;
  const DominatorTree& tree_;
  const Function& function_;
  const RegisterTable& table_;
  std::vector<Name> names_;
  std::vector<std::uint32_t> name_of_, current_, undefined_, parameters_, returned_;
  std::vector<Undo> undo_;
  std::unordered_map<std::uint32_t, std::uint32_t> instruction_of_;  // by defining occurrence
  std::vector<std::vector<Phi>> phis_;
};

}  // namespace

Webs::Webs(const ControlFlowGraph& cfg, const DominatorTree& tree, const Function& function, const RegisterTable& table)
    : table_(&table) {
  Renamer renamer(cfg, tree, function, table);
  renamer.run();
  std::vector<std::uint32_t> web_of_set(renamer.sets.size(), no_web);
  const auto web_of_name = [&](std::uint32_t name) {
    std::uint32_t& web = web_of_set[renamer.sets.find(name)];
    if (web == no_web) {
      web = size();
      const std::uint32_t reg = renamer.names()[name].reg;
      webs_.push_back({reg, function.registers[reg].type});
    }
    return web;
  };
  for (std::uint32_t at = 0; at < table.all().size(); ++at) {
    of_.push_back(web_of_name(renamer.name_of()[at]));
    webs_[of_.back()].definitions += table.all()[at].is_def ? 1 : 0;
  }
  merges_ = std::move(renamer.merges);
  for (std::uint32_t name = 0; name < renamer.names().size(); ++name) {
    const std::uint32_t web = web_of_set[renamer.sets.find(name)];
    if (web == no_web) continue;  // a parameter that nothing reads
    webs_[web].parameter |= renamer.names()[name].parameter;
    webs_[web].may_be_undefined |= renamer.names()[name].undefined;
  }
  joins_.resize(cfg.size());
  for (std::uint32_t b = 0; b < cfg.size(); ++b)
    for (const Renamer::Phi& phi : renamer.phis()[b])
      if (phi.name != no_web) joins_[b].push_back({web_of_name(phi.name), phi.values});
  for (std::uint32_t reg : function.parameter_registers) {
    const bool named = reg < renamer.parameters().size();
    of_parameter_.push_back(named ? web_of_set[renamer.sets.find(renamer.parameters()[reg])] : no_web);
  }
}

std::uint32_t Webs::find(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element, bool def) const {
  const auto items = table_->of(instruction);
  for (std::uint32_t k = 0; k < items.size(); ++k)
    if (items[k].operand == operand && items[k].element == element && items[k].is_def == def)
      return of_[table_->first(instruction) + k];
  return no_web;
}

}  // namespace heddle::ptx::analysis
