#include "ptx/analysis/lanes/uniformity.hpp"

#include <algorithm>

namespace heddle::ptx::analysis {
namespace {

constexpr std::uint32_t no_assumption = 0xffffffffu;
// Bounds that still grow after so many updates are given up.
constexpr std::uint8_t most_updates = 8;

}  // namespace

bool takes_address_of_local(const Module& module) {
  for (const Function& function : module.functions)
    for (const Instruction& inst : function.body)
      if ((inst.opcode == Opcode::cvta && inst.d.space == Space::local && !inst.d.to) || inst.opcode == Opcode::alloca)
        return true;
  return false;
}

Uniformity::Uniformity(const Module& module, const Function& function, const ControlFlowGraph& cfg,
                       const PostDominators& post, const Webs& webs, const UniformityOptions& options)
    : module_(module),
      function_(function),
      cfg_(cfg),
      webs_(webs),
      options_(options),
      divergence_(cfg, post),
      values_(webs.size()),
      updates_(webs.size(), 0),
      assumption_of_(function.body.size(), no_assumption),
      divergent_(cfg.size(), false),
      block_divergent_(cfg.size(), false),
      partial_(cfg.size(), false),
      after_leaving_(cfg.size(), false),
      block_spoiled_(webs.size(), false),
      live_(cfg, webs.table(), webs.of_occurrences(), webs.size()),
      several_(webs.size(), false),
      defining_blocks_(webs.size()),
      several_in_(cfg.size()),
      readers_(webs.size()),
      local_has_generic_addresses_(options.takes_address_of_local ? *options.takes_address_of_local
                                                                  : takes_address_of_local(module)) {
  std::vector<bool> joins(webs.size(), false);
  for (std::uint32_t b : cfg.order()) {
    for (const WebJoin& join : webs.joins_at(b)) joins[join.web] = true;
    for (std::uint32_t i = cfg.block(b).begin; i < cfg.block(b).end; ++i) {
      std::uint32_t at = webs.table().first(i);
      for (const RegisterOccurrence& item : webs.table().of(i)) {
        auto& blocks = defining_blocks_[webs.of_occurrences()[at++]];
        if (item.is_def && (blocks.empty() || blocks.back() != b)) blocks.push_back(b);
      }
    }
  }
  for (std::uint32_t web = 0; web < webs.size(); ++web) {
    several_[web] = joins[web] || webs.web(web).definitions > 1;
    if (several_[web])
      for (std::uint32_t b : defining_blocks_[web]) several_in_[b].push_back(web);
  }
  run();
}

LaneContext Uniformity::context() const {
  return {
      module_, function_, webs_, values_, options_.lanes, options_.uniform_parameters, local_has_generic_addresses_};
}

LaneValue Uniformity::parameter_value() const {
  return options_.uniform_parameters ? LaneValue::make_uniform(true) : LaneValue::varying();
}

void Uniformity::run() {
  for (std::uint32_t web = 0; web < webs_.size(); ++web)
    if (webs_.web(web).parameter) values_[web] = parameter_value();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b : cfg_.order()) {
      changed |= evaluate_block(b);
      changed |= decide(b);
    }
    if (changed) continue;
    // What is still without a value is read before anything defines it: any value will do.
    for (std::uint32_t at = 0; at < webs_.of_occurrences().size(); ++at) {
      LaneValue& value = values_[webs_.of_occurrences()[at]];
      if (value.kind != LaneValue::Kind::none || webs_.table().all()[at].is_def) continue;
      value = LaneValue::make_uniform(false);
      changed = true;
    }
  }
  for (LaneValue& value : values_)
    if (value.kind == LaneValue::Kind::none) value = LaneValue::make_uniform(true);
  // Lanes may come back from a function by different rets.
  std::vector<bool> returned(webs_.size(), false);
  for (std::uint32_t at = 0; at < webs_.of_occurrences().size(); ++at) {
    if (webs_.table().all()[at].operand != return_operand) continue;
    const std::uint32_t web = webs_.of_occurrences()[at];
    if (returned[web] && options_.lanes.lanes > 1) values_[web] = LaneValue::varying();
    returned[web] = true;
  }
}

bool Uniformity::evaluate_block(std::uint32_t block) {
  bool changed = false;
  const LaneArithmetic arithmetic(options_.lanes);
  const LaneContext context = this->context();
  for (std::uint32_t i = cfg_.block(block).begin; i < cfg_.block(block).end; ++i) {
    const auto items = webs_.table().of(i);
    for (std::uint32_t k = 0; k < items.size(); ++k) {
      const std::uint32_t at = webs_.table().first(i) + k;
      const std::uint32_t web = webs_.of_occurrences()[at];
      const LaneValue& known = values_[web];
      if (!items[k].is_def || (known.kind == LaneValue::Kind::varying && known.range.full)) continue;
      LaneEvaluator evaluator(context, arithmetic, i);
      LaneValue value = evaluator.result(items[k]);
      if (evaluator.widening().present && value.strided()) {
        const auto& widening = evaluator.widening();
        if (!options_.assume_no_wrap) {
          value = LaneValue::varying();
        } else {
          std::uint32_t& number = assumption_of_[i];
          if (number == no_assumption) {
            number = static_cast<std::uint32_t>(assumptions_.size());
            assumptions_.push_back(
                {i, widening.operand, webs_.use(i, widening.operand), widening.is_signed, widening.width});
          }
          const auto place = std::lower_bound(value.assumptions.begin(), value.assumptions.end(), number);
          if (place == value.assumptions.end() || *place != number) value.assumptions.insert(place, number);
        }
      }
      changed |= update(i, at, std::move(value));
    }
  }
  return changed;
}

bool Uniformity::update(std::uint32_t instruction, std::uint32_t occurrence, LaneValue value) {
  if (value.kind == LaneValue::Kind::none) return false;
  const std::uint32_t web = webs_.of_occurrences()[occurrence];
  if (webs_.merges(occurrence)) {
    // Lanes whose guard does not hold keep what they had.
    const LaneValue& guard = values_[webs_.guard(instruction)];
    if (guard.kind == LaneValue::Kind::none) return false;
    if (!guard.uniform()) value.kind = LaneValue::Kind::varying;
    value.block_uniform &= guard.block_uniform;
  }
  LaneValue joined = join(values_[web], value, std::max(1u, bit_width(webs_.web(web).type)));
  // Registers of floating-point types hold no addresses, and a compiler that keeps them as floats cannot add strides.
  const bool is_stride = joined.strided() && !joined.uniform() && is_float(webs_.web(web).type);
  if (joined.kind == LaneValue::Kind::varying || is_stride) joined = varying(joined.range);
  if (block_spoiled_[web]) joined.block_uniform = false;
  if (joined == values_[web]) return false;
  if (values_[web].kind != LaneValue::Kind::none && updates_[web]++ >= most_updates) joined.range = Interval::any();
  if (joined == values_[web]) return false;
  values_[web] = std::move(joined);
  return true;
}

LaneValue Uniformity::varying(Interval range) const {
  // One lane is always like itself.
  LaneValue value = options_.lanes.lanes == 1 ? LaneValue::make_uniform(false) : LaneValue::varying();
  value.range = range;
  return value;
}

// Looks where the lanes go at the end of a block. True when something that is known changed.
bool Uniformity::decide(std::uint32_t block) {
  const BasicBlock& range = cfg_.block(block);
  if (!range.decides) return false;
  const std::uint32_t last = range.end - 1;
  LaneValue condition = LaneValue::make_uniform(true);
  for (const RegisterOccurrence& item : webs_.table().of(last)) {
    if (item.operand == return_operand) continue;
    const LaneValue& value = values_[webs_.use(last, item.operand, item.element)];
    if (value.kind == LaneValue::Kind::none) return false;
    condition = LaneArithmetic::generic({&condition, &value});
  }
  bool changed = false;
  if (!condition.block_uniform && !block_divergent_[block]) {
    block_divergent_[block] = true;
    changed |= part(block, false);
  }
  if (!condition.uniform() && !divergent_[block]) {
    divergent_[block] = true;
    changed |= part(block, true);
  }
  return changed;
}

// Applies the effect of a branch that parts lanes of a group, or (`lanes` false) threads of the block.
bool Uniformity::part(std::uint32_t block, bool lanes) {
  if (all_spoiled_[lanes]) return false;
  bool changed = false;
  const DivergenceEffect effect = divergence_.of_branch(block, known_loops_[lanes]);
  if (effect.given_up) return spoil_all(lanes);
  for (const DivergentJoin& join : effect.joins) {
    for (const WebJoin& web : webs_.joins_at(join.block)) {
      std::uint32_t first = no_web;
      bool differ = false;
      for (std::uint32_t p : join.predecessors) {
        if (web.values[p] == no_web) continue;
        differ |= first != no_web && web.values[p] != first;
        first = web.values[p];
      }
      if (differ) changed |= spoil(web.web, lanes);
    }
  }
  for (std::uint32_t loop : effect.loops) changed |= spoil_left_behind(loop, lanes);
  if (lanes) {
    for (const DivergentRegion& region : effect.regions) changed |= spoil_overwritten(region);
    for (std::uint32_t b : effect.partial) partial_[b] = true;
    if (effect.some_leave) mark_partial(cfg_.successors(block));
  }
  return changed;
}

// What a loop has computed when lanes leave it in different turns.
bool Uniformity::spoil_left_behind(std::uint32_t loop, bool lanes) {
  bool changed = false;
  const auto defined_inside = [&](std::uint32_t web) {
    const auto& blocks = defining_blocks_[web];
    return std::any_of(blocks.begin(), blocks.end(), [&](std::uint32_t b) { return cfg_.loop_contains(loop, b); });
  };
  for (std::uint32_t b : cfg_.loops()[loop].blocks)
    for (std::uint32_t next : cfg_.successors(b))
      if (!cfg_.loop_contains(loop, next))
        live_.for_each_live_in(next, [&](std::uint32_t web) {
          if (!is_spoiled(web, lanes) && defined_inside(web)) changed |= spoil(web, lanes);
        });
  return changed;
}

// All that parting could spoil, wherever it happens.
bool Uniformity::spoil_all(bool lanes) {
  all_spoiled_[lanes] = true;
  for (std::uint32_t web = 0; web < webs_.size(); ++web) {
    const auto& blocks = defining_blocks_[web];
    const auto in_loop = [&](std::uint32_t b) { return cfg_.loop_of(b) != no_node; };
    if (several_[web] || std::any_of(blocks.begin(), blocks.end(), in_loop)) spoil(web, lanes);
  }
  if (lanes) partial_.assign(cfg_.size(), true);
  return true;
}

// Lanes may have left before these blocks, and are missing in all that follows.
void Uniformity::mark_partial(std::span<const std::uint32_t> blocks) {
  std::vector<std::uint32_t> work;
  const auto visit = [&](std::uint32_t block) {
    if (after_leaving_[block]) return;
    after_leaving_[block] = partial_[block] = true;
    work.push_back(block);
  };
  for (std::uint32_t block : blocks) visit(block);
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    for (std::uint32_t next : cfg_.successors(block)) visit(next);
  }
}

// Webs that some lanes write while others wait where they still need the value from before: at a later block of the
// order, with another label.
bool Uniformity::spoil_overwritten(const DivergentRegion& region) {
  const auto is_candidate = [&](std::uint32_t web) { return several_[web] && !is_spoiled(web, true); };
  const auto writes = [&](const DivergentRegion::Place& place) {
    return std::any_of(several_in_[place.block].begin(), several_in_[place.block].end(), is_candidate);
  };
  if (std::none_of(region.places.begin(), region.places.end(), writes)) return false;
  ++regions_;
  for (const DivergentRegion::Place& reader : region.places) {
    const std::uint32_t at = cfg_.position(reader.block);
    live_.for_each_live_in(reader.block, [&](std::uint32_t web) {
      if (!is_candidate(web)) return;
      Readers& known = readers_[web];
      if (known.region != regions_) known = {regions_, at, reader.label, 0};
      if (reader.label == known.label)
        known.last = std::max(known.last, at);
      else if (at > known.last)
        known = {regions_, at, reader.label, known.last};
      else
        known.other = std::max(known.other, at);
    });
  }
  bool changed = false;
  for (const DivergentRegion::Place& writer : region.places)
    for (std::uint32_t web : several_in_[writer.block]) {
      const Readers& known = readers_[web];
      if (!is_candidate(web) || known.region != regions_) continue;
      const std::uint32_t waiting = writer.label != known.label ? known.last : known.other;
      if (region.mixed || waiting > cfg_.position(writer.block)) changed |= spoil(web, true);
    }
  return changed;
}

bool Uniformity::is_spoiled(std::uint32_t web, bool lanes) const {
  return lanes ? values_[web].kind == LaneValue::Kind::varying : block_spoiled_[web];
}

bool Uniformity::spoil(std::uint32_t web, bool lanes) {
  LaneValue& value = values_[web];
  if (is_spoiled(web, lanes)) return false;
  if (lanes) {
    value = LaneValue::varying();
    return true;
  }
  block_spoiled_[web] = true;
  value.block_uniform = false;
  return true;
}

std::optional<std::int64_t> Uniformity::stride(const LaneValue& value) const {
  if (!value.strided()) return std::nullopt;
  const std::int64_t step = options_.lanes.lanes > 1 ? offset(value, 1) : 0;
  for (unsigned lane = 2; lane < options_.lanes.lanes; ++lane)
    if (offset(value, lane) != step * lane) return std::nullopt;
  return step;
}

std::int64_t Uniformity::offset(const LaneValue& value, unsigned lane) const {
  return LaneArithmetic(options_.lanes).offset(value, lane);
}

LaneValue Uniformity::operand(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element) const {
  const std::uint32_t defined = webs_.def(instruction, operand, element);
  if (defined != no_web && webs_.use(instruction, operand, element) == no_web) return values_[defined];
  const LaneArithmetic arithmetic(options_.lanes);
  const LaneContext context = this->context();
  return LaneEvaluator(context, arithmetic, instruction).operand(operand, element);
}

}  // namespace heddle::ptx::analysis
