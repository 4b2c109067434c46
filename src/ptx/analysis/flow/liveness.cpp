#include "ptx/analysis/flow/liveness.hpp"

namespace heddle::ptx::analysis {
namespace {

std::vector<std::uint32_t> register_names(const RegisterTable& table) {
  std::vector<std::uint32_t> names;
  names.reserve(table.all().size());
  for (const RegisterOccurrence& item : table.all()) names.push_back(item.reg);
  return names;
}

}  // namespace

Liveness::Liveness(const ControlFlowGraph& cfg, const Function& function, const RegisterTable& table)
    : Liveness(cfg, table, register_names(table), static_cast<std::uint32_t>(function.registers.size())) {}

Liveness::Liveness(const ControlFlowGraph& cfg, const RegisterTable& table, std::span<const std::uint32_t> names,
                   std::uint32_t count)
    : table_(&table), names_of_(names.begin(), names.end()), in_(cfg.size(), count), out_(cfg.size(), count) {
  solve(cfg);
}

// A guarded definition does not end a live range, since it may leave the old value.
void Liveness::step_back(std::uint32_t instruction, BitMatrix& live, std::uint32_t row) const {
  const auto items = table_->of(instruction);
  const std::uint32_t first = table_->first(instruction);
  for (std::size_t i = items.size(); i-- > 0;) {  // definitions come after uses
    if (!items[i].is_def) {
      live.set(row, names_of_[first + i]);
    } else if (!items[i].guarded) {
      live.clear(row, names_of_[first + i]);
    }
  }
}

void Liveness::solve(const ControlFlowGraph& cfg) {
  BitMatrix kept(cfg.size(), names());  // names that the block does not define
  for (std::uint32_t b = 0; b < cfg.size(); ++b) {
    for (std::uint64_t& word : kept.row(b)) word = ~std::uint64_t{0};
    for (std::uint32_t i = cfg.block(b).end; i-- > cfg.block(b).begin;) {
      step_back(i, in_, b);
      const auto items = table_->of(i);
      for (std::size_t k = 0; k < items.size(); ++k)
        if (items[k].is_def && !items[k].guarded) kept.clear(b, names_of_[table_->first(i) + k]);
    }
  }
  // `in_` holds what each block reads first. Blocks in post-order, so that most of it is done in one pass; unreachable
  // blocks last.
  std::vector<std::uint32_t> order(cfg.order().rbegin(), cfg.order().rend());
  for (std::uint32_t b = 0; b < cfg.size(); ++b)
    if (!cfg.block(b).reachable) order.push_back(b);
  std::vector<bool> dirty(cfg.size(), true);
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t b : order) {
      if (!dirty[b]) continue;
      dirty[b] = false;
      const auto out = out_.row(b);
      for (std::uint32_t next : cfg.successors(b)) {
        const auto from = in_.row(next);
        for (std::size_t w = 0; w < out.size(); ++w) out[w] |= from[w];
      }
      bool changed = false;
      const auto in = in_.row(b);
      const auto keep = kept.row(b);
      for (std::size_t w = 0; w < in.size(); ++w) {
        const std::uint64_t with = in[w] | (out[w] & keep[w]);
        changed |= with != in[w];
        in[w] = with;
      }
      if (!changed) continue;
      for (std::uint32_t before : cfg.predecessors(b)) dirty[before] = again = true;
    }
  }
}

std::vector<std::uint32_t> Liveness::live_before(const ControlFlowGraph& cfg, std::uint32_t instruction) const {
  std::vector<std::uint32_t> result;
  walk_back(cfg, cfg.block_of(instruction), [&](std::uint32_t i, const BitMatrix& live) {
    if (i == instruction) live.for_each(0, [&](std::uint32_t name) { result.push_back(name); });
  });
  return result;
}

namespace {

// Counts of live registers by class, kept up as a walk goes from one instruction to the one before it.
struct Counter {
  std::array<std::uint32_t, 5> live{};  // predicate, 16, 32, 64, 128
  static std::size_t class_of(Type type) {
    const unsigned bits = bit_width(type);
    if (type == Type::pred) return 0;
    if (bits <= 16) return 1;
    if (bits <= 32) return 2;
    return bits <= 64 ? 3 : 4;
  }
  std::uint32_t words() const { return live[1] + live[2] + 2 * live[3] + 4 * live[4]; }
};

}  // namespace

RegisterPressure register_pressure(const ControlFlowGraph& cfg, const Function& function, const Liveness& registers) {
  RegisterPressure result;
  for (std::uint32_t b : cfg.order()) {
    registers.walk_back(cfg, b, [&](std::uint32_t i, const BitMatrix& live) {
      Counter count;
      live.for_each(0, [&](std::uint32_t reg) { ++count.live[Counter::class_of(function.registers[reg].type)]; });
      result.predicates = std::max(result.predicates, count.live[0]);
      result.bits16 = std::max(result.bits16, count.live[1]);
      result.bits32 = std::max(result.bits32, count.live[2]);
      result.bits64 = std::max(result.bits64, count.live[3]);
      result.bits128 = std::max(result.bits128, count.live[4]);
      if (count.words() <= result.words) return;
      result.words = count.words();
      result.instruction = i;
    });
  }
  return result;
}

}  // namespace heddle::ptx::analysis
