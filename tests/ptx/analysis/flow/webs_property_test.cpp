// Webs and liveness of random kernels against their definitions, found by walking instruction by instruction.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ptx/analysis/flow/liveness.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/random_program.hpp"
#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

using testing::below;
using testing::Random;

// Instructions that may run next. Only what the generator writes.
std::vector<std::uint32_t> next_of(const Function& function, std::uint32_t i) {
  const Instruction& inst = function.body[i];
  std::vector<std::uint32_t> next;
  if (inst.opcode == Opcode::bra) next.push_back(function.labels[inst.operands[0].index].position);
  const bool always = (inst.opcode == Opcode::bra || inst.opcode == Opcode::ret) && !inst.guard.present;
  if (!always && i + 1 < function.body.size()) next.push_back(i + 1);
  return next;
}

bool defines(const RegisterTable& table, std::uint32_t i, std::uint32_t reg, bool surely) {
  for (const RegisterOccurrence& item : table.of(i))
    if (item.is_def && item.reg == reg && !(surely && item.guarded)) return true;
  return false;
}

// Instructions that a value of `reg` reaches which is there before instruction `from`: those that may read it.
std::set<std::uint32_t> reached(const Function& function, const RegisterTable& table, std::vector<std::uint32_t> work,
                                std::uint32_t reg) {
  std::set<std::uint32_t> seen;
  while (!work.empty()) {
    const std::uint32_t i = work.back();
    work.pop_back();
    if (!seen.insert(i).second || defines(table, i, reg, true)) continue;
    for (std::uint32_t next : next_of(function, i)) work.push_back(next);
  }
  return seen;
}

struct Program {
  explicit Program(const std::string& text)
      : module(parse(text, "random.ptx")), function(module.functions[0]), cfg(function), table(function) {
    std::vector<std::uint32_t> work{0};
    while (!work.empty()) {
      const std::uint32_t i = work.back();
      work.pop_back();
      if (!reachable.insert(i).second) continue;
      for (std::uint32_t next : next_of(function, i)) work.push_back(next);
    }
  }
  Module module;
  const Function& function;
  ControlFlowGraph cfg;
  RegisterTable table;
  std::set<std::uint32_t> reachable;
};

void check_liveness(const Program& p) {
  const Liveness live(p.cfg, p.function, p.table);
  for (std::uint32_t i : p.reachable) {
    std::set<std::uint32_t> expected;
    for (std::uint32_t reg = 0; reg < p.function.registers.size(); ++reg)
      for (std::uint32_t at : reached(p.function, p.table, {i}, reg))
        for (const RegisterOccurrence& item : p.table.of(at))
          if (!item.is_def && item.reg == reg) expected.insert(reg);
    const auto found = live.live_before(p.cfg, i);
    ASSERT_EQ(std::set<std::uint32_t>(found.begin(), found.end()), expected) << "instruction " << i;
  }
}

class Partition {
 public:
  explicit Partition(std::size_t size) : parent_(size) {
    for (std::size_t i = 0; i < size; ++i) parent_[i] = i;
  }
  std::size_t find(std::size_t x) const { return parent_[x] == x ? x : find(parent_[x]); }
  void unite(std::size_t a, std::size_t b) { parent_[find(b)] = find(a); }

 private:
  std::vector<std::size_t> parent_;
};

void check_webs(const Program& p) {
  const DominatorTree tree = dominators(p.cfg);
  const Webs webs(p.cfg, tree, p.function, p.table);
  const auto all = p.table.all();
  Partition expected(all.size());
  std::set<std::size_t> read;  // occurrences that some read depends on
  std::map<std::size_t, bool> undefined;
  // A guarded definition reads the old value too when anybody reads the new one; repeat until no more are found.
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i : p.reachable) {
      for (std::uint32_t k = 0; k < p.table.of(i).size(); ++k) {
        const std::size_t def = p.table.first(i) + k;
        if (!all[def].is_def) continue;
        for (std::uint32_t at : reached(p.function, p.table, next_of(p.function, i), all[def].reg))
          for (std::uint32_t n = 0; n < p.table.of(at).size(); ++n) {
            const std::size_t use = p.table.first(at) + n;
            if (all[use].reg != all[def].reg) continue;
            const bool keeps = all[use].is_def && all[use].guarded && read.count(use) != 0;
            if (all[use].is_def && !keeps) continue;
            expected.unite(def, use);
            again |= read.insert(def).second;
          }
      }
    }
  }
  // What is read before any definition: one web for each register, joined to those that reach the same reads.
  for (std::uint32_t reg = 0; reg < p.function.registers.size(); ++reg)
    for (std::uint32_t at : reached(p.function, p.table, {0}, reg))
      for (std::uint32_t n = 0; n < p.table.of(at).size(); ++n)
        if (all[p.table.first(at) + n].reg == reg && !all[p.table.first(at) + n].is_def)
          undefined[p.table.first(at) + n] = true;

  for (std::uint32_t i : p.reachable)
    for (std::size_t a = p.table.first(i); a < p.table.first(i) + p.table.of(i).size(); ++a) {
      if (all[a].is_def && read.count(a) == 0) continue;  // a value that nobody reads may be anywhere
      ASSERT_TRUE(undefined.count(a) == 0 || webs.web(webs.of_occurrences()[a]).may_be_undefined)
          << "instruction " << i;
      ASSERT_EQ(webs.web(webs.of_occurrences()[a]).reg, all[a].reg);
      for (std::uint32_t j : p.reachable)
        for (std::size_t b = p.table.first(j); b < p.table.first(j) + p.table.of(j).size(); ++b) {
          if (all[b].is_def && read.count(b) == 0) continue;
          const bool together = expected.find(a) == expected.find(b);
          const bool found = webs.of_occurrences()[a] == webs.of_occurrences()[b];
          // Reads that nothing defines have no definition in common, yet share the web of the undefined register.
          const bool both_undefined = undefined.count(a) != 0 && undefined.count(b) != 0;
          if (together != found && !both_undefined)
            FAIL() << "instructions " << i << " and " << j << " expected " << together;
        }
    }
}

TEST(WebsProperty, LivenessAgreesWithItsDefinition) {
  Random random(21);
  for (int round = 0; round < 150; ++round) {
    const testing::ProgramShape shape{1 + below(random, 6), 1 + below(random, 4), below(random, 2) == 0, true};
    const std::string text = testing::random_program(random, shape);
    check_liveness(Program(text));
    ASSERT_FALSE(HasFailure()) << text;
  }
}

TEST(WebsProperty, WebsAreConnectedDefinitionsAndUses) {
  Random random(22);
  for (int round = 0; round < 300; ++round) {
    const testing::ProgramShape shape{1 + below(random, 6), 1 + below(random, 4), below(random, 2) == 0, true};
    const std::string text = testing::random_program(random, shape);
    check_webs(Program(text));
    ASSERT_FALSE(HasFailure()) << text;
  }
}

TEST(WebsProperty, WebsHaveTheirOwnLiveness) {
  Random random(23);
  for (int round = 0; round < 200; ++round) {
    const Program p(testing::random_program(random, {1 + below(random, 8), 3, true, true}));
    const DominatorTree tree = dominators(p.cfg);
    const Webs webs(p.cfg, tree, p.function, p.table);
    const Liveness registers(p.cfg, p.function, p.table);
    const Liveness live(p.cfg, p.table, webs.of_occurrences(), webs.size());
    for (std::uint32_t b : p.cfg.order()) {
      std::multiset<std::uint32_t> by_webs, by_registers;
      live.for_each_live_in(b, [&](std::uint32_t web) { by_webs.insert(webs.web(web).reg); });
      registers.for_each_live_in(b, [&](std::uint32_t reg) { by_registers.insert(reg); });
      ASSERT_EQ(by_webs, by_registers);  // at each place a register holds one web
    }
  }
}

}  // namespace
}  // namespace heddle::ptx::analysis
