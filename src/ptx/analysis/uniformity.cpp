#include "ptx/analysis/uniformity.hpp"

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
      block_spoiled_(webs.size(), false),
      live_(cfg, webs.table(), webs.of_occurrences(), webs.size()),
      defining_blocks_(webs.size()),
      local_has_generic_addresses_(takes_address_of_local(module)) {
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
  for (std::uint32_t web = 0; web < webs.size(); ++web)
    if (joins[web] || webs.web(web).definitions > 1) several_.push_back(web);
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
  std::vector<std::uint32_t> returned;
  for (std::uint32_t at = 0; at < webs_.of_occurrences().size(); ++at) {
    if (webs_.table().all()[at].operand != return_operand) continue;
    const std::uint32_t web = webs_.of_occurrences()[at];
    if (std::find(returned.begin(), returned.end(), web) != returned.end() && options_.lanes.lanes > 1)
      values_[web] = LaneValue::varying();
    returned.push_back(web);
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
  bool changed = false;
  const DivergenceEffect effect = divergence_.of_branch(block);
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
  for (std::uint32_t loop : effect.loops) {
    const auto defined_inside = [&](std::uint32_t web) {
      const auto& blocks = defining_blocks_[web];
      return std::any_of(blocks.begin(), blocks.end(), [&](std::uint32_t b) { return cfg_.loop_contains(loop, b); });
    };
    for (std::uint32_t b : cfg_.loops()[loop].blocks)
      for (std::uint32_t next : cfg_.successors(b))
        if (!cfg_.loop_contains(loop, next))
          live_.for_each_live_in(next, [&](std::uint32_t web) {
            if (defined_inside(web)) changed |= spoil(web, lanes);
          });
  }
  if (lanes) {
    for (const DivergentRegion& region : effect.regions)
      for (std::uint32_t web : several_)
        if (values_[web].kind != LaneValue::Kind::varying && overwritten(web, region)) changed |= spoil(web, lanes);
    for (std::uint32_t b : effect.partial) partial_[b] = true;
    if (effect.some_leave) {
      const auto later = reachable_from(cfg_.graph(), cfg_.successors(block));
      for (std::uint32_t b = 0; b < cfg_.size(); ++b)
        if (later[b]) partial_[b] = true;
    }
  }
  return changed;
}

// Some lanes write the web while others wait where they still need its value from before: at a later block of the
// order.
bool Uniformity::overwritten(std::uint32_t web, const DivergentRegion& region) const {
  const auto& defining = defining_blocks_[web];
  for (const DivergentRegion::Place& writer : region.places) {
    if (std::find(defining.begin(), defining.end(), writer.block) == defining.end()) continue;
    for (const DivergentRegion::Place& reader : region.places) {
      const bool waits = writer.label != reader.label && cfg_.position(reader.block) > cfg_.position(writer.block);
      if ((waits || region.mixed) && live_.live_in(reader.block, web)) return true;
    }
  }
  return false;
}

bool Uniformity::spoil(std::uint32_t web, bool lanes) {
  LaneValue& value = values_[web];
  if (lanes) {
    if (value.kind == LaneValue::Kind::varying) return false;
    value = LaneValue::varying();
    return true;
  }
  if (block_spoiled_[web]) return false;
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
