#include "ptx/analysis/flow/control_flow.hpp"

#include <algorithm>
#include <utility>

namespace heddle::ptx::analysis {
namespace {

bool ends_block(const Instruction& inst, const Function& function, const Module* module) {
  switch (inst.opcode) {
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit: return true;
    case Opcode::trap:  // a guarded trap ends the launch or does nothing: no lane of it takes another way
      return !inst.guard.present;
    case Opcode::call: return !inst.guard.present && never_returns(inst, function, module);
    default: return false;
  }
}

ExitKind exit_kind(const Instruction& inst, const Function& function, const Module* module) {
  switch (inst.opcode) {
    case Opcode::ret: return ExitKind::ret;
    case Opcode::exit: return ExitKind::exit;
    case Opcode::trap: return inst.guard.present ? ExitKind::none : ExitKind::trap;
    case Opcode::call:
      return !inst.guard.present && never_returns(inst, function, module) ? ExitKind::no_return : ExitKind::none;
    default: return ExitKind::none;
  }
}

template <class F>
void for_each_target(const Instruction& inst, const Function& function, F&& f) {
  if (inst.opcode != Opcode::bra && inst.opcode != Opcode::brx) return;
  for (const Operand& operand : inst.operands) {
    if (operand.kind == OperandKind::label) f(function.labels[operand.index].position, EdgeKind::branch);
    if (operand.kind != OperandKind::table) continue;
    for (std::uint32_t label : function.tables[operand.index].targets)
      f(function.labels[label].position, EdgeKind::indirect);
  }
}

// leader[i]: a block starts at instruction i; leader[body.size()] when something branches to the end of the body.
std::vector<bool> find_leaders(const Function& function, const Module* module) {
  const std::size_t count = function.body.size();
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& inst = function.body[i];
    for_each_target(inst, function, [&](std::uint32_t position, EdgeKind) { leader[position] = true; });
    if (i + 1 < count && ends_block(inst, function, module)) leader[i + 1] = true;
  }
  return leader;
}

}  // namespace

bool never_returns(const Instruction& inst, const Function& function, const Module* module) {
  if (inst.opcode != Opcode::call) return false;
  for (const Operand& operand : inst.operands) {
    if (operand.kind == OperandKind::table) {
      const Table& table = function.tables[operand.index];
      if (table.kind == Table::Kind::call_prototype && table.noreturn) return true;
    }
    if (operand.kind == OperandKind::symbol && operand.symbol.kind == SymbolRef::Kind::function && module != nullptr)
      return module->functions[operand.symbol.index].noreturn;
  }
  return false;
}

ControlFlowGraph::ControlFlowGraph(const Function& function, const Module* module) {
  const auto count = static_cast<std::uint32_t>(function.body.size());
  const std::vector<bool> leader = find_leaders(function, module);
  std::vector<std::uint32_t> block_at(count + 1, no_node);
  block_of_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leader[i]) {
      block_at[i] = size();
      blocks_.push_back({i, i});
    }
    blocks_.back().end = i + 1;
    block_of_[i] = size() - 1;
  }
  if (leader[count]) {  // also the only block of an empty body
    block_at[count] = size();
    blocks_.push_back({count, count});
  }

  std::vector<Graph::Edge> edges;
  std::vector<std::uint32_t> last_before(size(), no_node);  // the last block that an edge to the block was made for
  for (std::uint32_t b = 0; b < size(); ++b) {
    BasicBlock& block = blocks_[b];
    kind_first_.push_back(static_cast<std::uint32_t>(edges.size()));
    const std::size_t first = edges.size();
    const auto add = [&](std::uint32_t to, EdgeKind kind) {
      if (std::exchange(last_before[to], b) == b) return;
      edges.emplace_back(b, to);
      kinds_.push_back(kind);
    };
    const Instruction* last = block.begin == block.end ? nullptr : &function.body[block.end - 1];
    if (last != nullptr) {
      block.exit = exit_kind(*last, function, module);
      for_each_target(*last, function, [&](std::uint32_t position, EdgeKind kind) { add(block_at[position], kind); });
    }
    const bool falls = last == nullptr || last->guard.present || !ends_block(*last, function, module);
    if (falls && block.end < count) add(block_at[block.end], EdgeKind::fall_through);
    if (falls && block.end == count) {
      if (last != nullptr && leader[count])
        add(block_at[count], EdgeKind::fall_through);
      else
        block.exit = block.exit == ExitKind::none ? ExitKind::ret : block.exit;
    }
    block.decides = edges.size() - first + (block.exit != ExitKind::none ? 1 : 0) > 1;
  }
  graph_ = Graph(size(), edges);
  find_loops();
  position_.assign(size(), no_node);
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    position_[order_[i]] = i;
    blocks_[order_[i]].reachable = true;
  }
  find_entries();
}

std::uint32_t ControlFlowGraph::block_at(std::uint32_t instruction_index) const {
  const auto it = std::lower_bound(blocks_.begin(), blocks_.end(), instruction_index,
                                   [](const BasicBlock& block, std::uint32_t i) { return block.begin < i; });
  if (it == blocks_.end() || it->begin != instruction_index) return no_node;
  return static_cast<std::uint32_t>(it - blocks_.begin());
}

// A component is taken apart by removing its header and finding the components of the rest, until no cycle is left. The
// order is kept as a list of items: blocks that have their place, and sets that still have to be taken apart.
void ControlFlowGraph::find_loops() {
  struct Part {
    std::vector<std::uint32_t> blocks, roots;
    std::uint32_t loop = no_node;  // loop that holds the part
  };
  struct Item {
    std::uint32_t block = no_node;
    std::uint32_t part = no_node;
  };
  loop_of_.assign(size(), no_node);
  ComponentFinder finder(graph_);
  std::vector<Part> parts;
  std::vector<bool> member(size(), false);
  parts.push_back({{}, {0}, no_node});
  std::vector<Item> stack{{no_node, 0}};
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    if (item.part == no_node) {
      order_.push_back(item.block);
      continue;
    }
    const Part part = std::move(parts[item.part]);
    for (std::uint32_t block : part.blocks) member[block] = true;
    const auto components = finder.find(part.roots, item.part == 0 ? std::vector<bool>{} : member);
    for (std::uint32_t block : part.blocks) member[block] = false;

    std::vector<Item> items;
    for (const auto& component : components) {
      const std::uint32_t head = component.front();
      const auto next = graph_.successors(head);
      items.push_back({head, no_node});
      if (component.size() == 1 && std::find(next.begin(), next.end(), head) == next.end()) {
        loop_of_[head] = part.loop;
        continue;
      }
      const auto loop = static_cast<std::uint32_t>(loops_.size());
      loops_.push_back({head, part.loop, part.loop == no_node ? 1 : loops_[part.loop].depth + 1, component, {}});
      for (std::uint32_t block : component) loop_of_[block] = loop;
      if (component.size() == 1) continue;
      Part rest{{component.begin() + 1, component.end()}, {next.begin(), next.end()}, loop};
      items.push_back({no_node, static_cast<std::uint32_t>(parts.size())});
      parts.push_back(std::move(rest));
    }
    stack.insert(stack.end(), items.rbegin(), items.rend());
  }
}

void ControlFlowGraph::find_entries() {
  for (std::uint32_t l = 0; l < loops_.size(); ++l) {
    Loop& loop = loops_[l];
    std::sort(loop.blocks.begin(), loop.blocks.end(),
              [&](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; });
    const std::uint32_t begin = position_[loop.header];
    const auto end = static_cast<std::uint32_t>(begin + loop.blocks.size());
    for (std::uint32_t block : loop.blocks) {
      const auto outside = [&](std::uint32_t p) {
        return position_[p] != no_node && (position_[p] < begin || position_[p] >= end);
      };
      const auto before = graph_.predecessors(block);
      if (block == 0 || std::any_of(before.begin(), before.end(), outside)) loop.entries.push_back(block);
    }
  }
}

bool ControlFlowGraph::loop_contains(std::uint32_t loop, std::uint32_t block) const {
  if (position_[block] == no_node) return false;
  const std::uint32_t begin = position_[loops_[loop].header];
  return position_[block] >= begin && position_[block] < begin + loops_[loop].blocks.size();
}

}  // namespace heddle::ptx::analysis
