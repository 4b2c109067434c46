// Runs random kernels and holds every claim of the uniformity analysis against what the lanes have.
//
// Beside the lanes' own registers the test keeps, like a code generator, one scalar for each value that is claimed to
// be strided: what lane 0 would compute, written by whichever lanes run the definition. Each read by each lane must
// agree.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/analysis/random_program.hpp"
#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

using testing::below;
using testing::LaneCoordinates;
using testing::Random;

struct Setting {
  Dim3 block;
  std::uint32_t lanes = 32;
  bool fits = false;
};

class Group {
 public:
  Group(const Module& module, const Setting& setting, const ControlFlowGraph& cfg, const RegisterTable& table,
        const Webs& webs, const Uniformity& uniformity, std::uint32_t first_thread, std::array<std::uint32_t, 3> ctaid)
      : function_(module.functions[0]),
        cfg_(cfg),
        table_(table),
        webs_(webs),
        uniformity_(uniformity),
        machine_(function_, 37, 0x7000001230u) {
    const std::uint64_t threads = setting.block.count();
    for (std::uint32_t l = 0; l < setting.lanes && first_thread + l < threads; ++l) {
      const std::uint32_t t = first_thread + l;
      LaneCoordinates where;
      where.tid = {t % setting.block.x, t / setting.block.x % setting.block.y, t / setting.block.x / setting.block.y};
      where.ntid = {setting.block.x, setting.block.y, setting.block.z};
      where.ctaid = ctaid;
      where.nctaid = {1000, 9, 1};
      where.lane = t % 32;
      lanes_.push_back(where);
    }
    registers_.assign(lanes_.size(), std::vector<std::uint64_t>(function_.registers.size(), 0));
    scalars_.assign(webs.size(), 0);
    offsets_.resize(webs.size());
    for (std::uint32_t web = 0; web < webs.size(); ++web)
      for (std::uint32_t l = 0; l < setting.lanes && uniformity.value(web).strided(); ++l)
        offsets_[web].push_back(static_cast<std::uint64_t>(uniformity.offset(uniformity.value(web), l)));
  }

  // Runs at most so many blocks.
  void run(int steps) {
    testing::GroupSchedule schedule(cfg_, static_cast<std::uint32_t>(lanes_.size()));
    std::uint32_t block = 0;
    std::vector<std::uint32_t> active;
    while (steps-- > 0 && schedule.next(block, active) && !::testing::Test::HasFatalFailure()) {
      const bool all = active.size() == lanes_.size();
      ASSERT_TRUE(all || uniformity_.partial(block)) << "block " << block << " runs with some lanes";
      for (std::uint32_t i = cfg_.block(block).begin; i < cfg_.block(block).end; ++i) {
        check_reads(i, active);
        if (!is_branch(i)) execute(i, active);
      }
      leave(block, active, schedule);
    }
  }

  // Values that block-uniform definitions got, in order.
  std::vector<std::uint64_t> block_values;

 private:
  bool is_branch(std::uint32_t i) const {
    const Opcode opcode = function_.body[i].opcode;
    return opcode == Opcode::bra || opcode == Opcode::ret;
  }
  unsigned width(std::uint32_t web) const { return std::max(1u, bit_width(webs_.web(web).type)); }
  std::uint64_t mask(std::uint32_t web) const {
    return width(web) >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width(web)) - 1;
  }
  bool claimed(std::uint32_t web) const {
    return uniformity_.value(web).strided() && uniformity_.value(web).assumptions.empty();
  }
  std::uint64_t expected(std::uint32_t web, std::uint32_t lane) const {
    return (scalars_[web] + (uniformity_.uniform(web) ? 0 : offsets_[web][lane])) & mask(web);
  }

  bool in_range(const Interval& range, std::uint32_t web, std::uint64_t value) const {
    if (range.full) return true;
    for (__int128 x = value; x <= range.high; x += __int128{mask(web)} + 1)
      if (x >= range.low) return true;
    for (__int128 x = value; x >= range.low; x -= __int128{mask(web)} + 1)
      if (x <= range.high) return true;
    return false;
  }

  void check_reads(std::uint32_t i, const std::vector<std::uint32_t>& active) {
    std::uint32_t at = table_.first(i);
    for (const RegisterOccurrence& item : table_.of(i)) {
      const std::uint32_t web = webs_.of_occurrences()[at++];
      if (item.is_def) continue;
      const bool is_claimed = claimed(web);
      for (std::uint32_t lane : active) {
        const std::uint64_t value = registers_[lane][item.reg];
        if (is_claimed && value != expected(web, lane))
          FAIL() << "instruction " << i << " lane " << lane << " register " << function_.registers[item.reg].name
                 << ": " << value << " is not " << expected(web, lane);
        if (!in_range(uniformity_.value(web).range, web, value))
          FAIL() << "instruction " << i << ": " << value << " is out of bounds";
      }
    }
  }

  std::uint64_t read_lane(std::uint32_t lane, const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::reg: return registers_[lane][operand.index] ^ (operand.negated ? 1 : 0);
      case OperandKind::address: return registers_[lane][operand.index] + static_cast<std::uint64_t>(operand.value);
      case OperandKind::special: return testing::ScalarMachine::special(operand.special, lanes_[lane]);
      default: return static_cast<std::uint64_t>(operand.value);
    }
  }
  bool guard_holds(std::uint32_t lane, const Instruction& inst) const {
    return !inst.guard.present || (registers_[lane][inst.guard.reg] != 0) != inst.guard.negated;
  }

  void execute(std::uint32_t i, const std::vector<std::uint32_t>& active) {
    const Instruction& inst = function_.body[i];
    std::vector<std::uint32_t> running;
    for (std::uint32_t lane : active)
      if (guard_holds(lane, inst)) running.push_back(lane);
    std::uint32_t at = table_.first(i);
    for (const RegisterOccurrence& item : table_.of(i)) {
      const std::uint32_t web = webs_.of_occurrences()[at++];
      if (!item.is_def || running.empty()) continue;
      if (uniformity_.value(web).strided()) scalars_[web] = scalar_result(i, web);
      for (std::uint32_t lane : running) {
        const auto read = [&](const Operand& operand, std::uint16_t, std::uint16_t) {
          return read_lane(lane, operand);
        };
        next_.push_back(machine_.evaluate(inst, read)[0] & mask(web));
      }
      for (std::size_t k = 0; k < running.size(); ++k) registers_[running[k]][item.reg] = next_[k];
      next_.clear();
      if (uniformity_.value(web).block_uniform && !inst.guard.present)
        block_values.push_back(registers_[running[0]][item.reg]);
    }
  }

  // What lane 0 would get, computed from scalars alone as a code generator does.
  std::uint64_t scalar_result(std::uint32_t i, std::uint32_t web) const {
    const Interval& range = uniformity_.value(web).range;
    if (range.constant()) return static_cast<std::uint64_t>(range.low) & mask(web);
    const auto read = [&](const Operand& operand, std::uint16_t number, std::uint16_t element) -> std::uint64_t {
      const std::uint32_t from = webs_.use(i, number, element);
      if (from == no_web)
        return operand.kind == OperandKind::special ? testing::ScalarMachine::special(operand.special, lanes_[0])
                                                    : static_cast<std::uint64_t>(operand.value);
      EXPECT_TRUE(uniformity_.value(from).strided())
          << "instruction " << i << " is strided though operand " << number << " is not";
      if (operand.kind == OperandKind::address) return scalars_[from] + static_cast<std::uint64_t>(operand.value);
      return scalars_[from] ^ (operand.negated ? 1 : 0);
    };
    return machine_.evaluate(function_.body[i], read)[0] & mask(web);
  }

  void leave(std::uint32_t block, const std::vector<std::uint32_t>& active, testing::GroupSchedule& schedule) {
    const BasicBlock& range = cfg_.block(block);
    const Instruction* last = range.begin == range.end ? nullptr : &function_.body[range.end - 1];
    std::vector<std::uint32_t> targets;
    for (std::uint32_t lane : active) {
      std::uint32_t to = cfg_.block_at(range.end);
      if (last == nullptr) to = no_node;
      if (last != nullptr && guard_holds(lane, *last)) {
        if (last->opcode == Opcode::bra) to = cfg_.block_at(function_.labels[last->operands[0].index].position);
        if (last->opcode == Opcode::ret) to = no_node;
      }
      targets.push_back(to);
    }
    for (std::uint32_t to : targets)
      ASSERT_TRUE(to == targets[0] || uniformity_.divergent(block)) << "lanes part at block " << block;
    for (std::size_t k = 0; k < active.size(); ++k) schedule.go(active[k], block, targets[k]);
  }

  const Function& function_;
  const ControlFlowGraph& cfg_;
  const RegisterTable& table_;
  const Webs& webs_;
  const Uniformity& uniformity_;
  testing::ScalarMachine machine_;
  std::vector<LaneCoordinates> lanes_;
  std::vector<std::vector<std::uint64_t>> registers_;
  std::vector<std::uint64_t> scalars_, next_;
  std::vector<std::vector<std::uint64_t>> offsets_;
};

void check_program(const std::string& text, const Setting& setting, bool assume) {
  const Module module = parse(text, "random.ptx");
  const Function& function = module.functions[0];
  const ControlFlowGraph cfg(function);
  const DominatorTree tree = dominators(cfg);
  const PostDominators post(cfg);
  const RegisterTable table(function);
  const Webs webs(cfg, tree, function, table);
  UniformityOptions options;
  options.lanes = LaneModel::for_block(setting.block, setting.lanes);
  options.lanes.global_id_fits = setting.fits;
  options.assume_no_wrap = assume;
  const Uniformity uniformity(module, function, cfg, post, webs, options);
  std::vector<std::uint64_t> first_values;
  bool aligned = true;
  for (std::uint32_t b : cfg.order()) aligned &= !uniformity.block_divergent(b);
  for (std::uint32_t first = 0; first < setting.block.count(); first += setting.lanes) {
    Group group(module, setting, cfg, table, webs, uniformity, first, {77, 3, 0});
    group.run(120);
    if (::testing::Test::HasFailure()) return;
    if (!aligned) continue;
    if (first == 0) first_values = group.block_values;
    ASSERT_EQ(group.block_values, first_values) << "threads of the block differ";
  }
}

class UniformityProperty : public ::testing::TestWithParam<Setting> {};

TEST_P(UniformityProperty, ClaimsHoldOnRandomKernels) {
  Random random(GetParam().block.x * 1000 + GetParam().lanes);
  const char* const longer = std::getenv("HEDDLE_ROUNDS");
  const int rounds = longer != nullptr ? std::atoi(longer) : 500;
  for (int round = 0; round < rounds; ++round) {
    testing::ProgramShape shape;
    shape.blocks = 1 + below(random, 12);
    shape.instructions = 1 + below(random, 5);
    const std::string text = testing::random_program(random, shape);
    check_program(text, GetParam(), round % 2 == 0);
    if (HasFailure()) {
      ADD_FAILURE() << "round " << round << "\n" << text;
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, UniformityProperty,
                         ::testing::Values(Setting{{64, 1, 1}, 32, true}, Setting{{16, 16, 1}, 32, true},
                                           Setting{{16, 4, 1}, 8, false}, Setting{{8, 8, 4}, 32, false},
                                           Setting{{4, 4, 4}, 32, false}, Setting{{48, 2, 1}, 32, false},
                                           Setting{{20, 1, 1}, 8, false}, Setting{{5, 3, 1}, 1, false},
                                           Setting{{2, 2, 8}, 16, true}));

}  // namespace
}  // namespace heddle::ptx::analysis
