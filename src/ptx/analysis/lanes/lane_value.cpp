#include "ptx/analysis/lanes/lane_value.hpp"

#include <algorithm>
#include <bit>

namespace heddle::ptx::analysis {
namespace {

// The signed integer that the low `width` bits hold.
std::int64_t wrap(std::int64_t value, unsigned width) {
  if (width >= 64) return value;
  const unsigned drop = 64 - width;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << drop) >> drop;
}

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::uint8_t zeros_of(std::int64_t value) {
  return static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(value)));
}

std::vector<std::uint32_t> unite(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<std::uint32_t> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

// A value that no lane can tell from a constant is one. A value that is uniform only on an assumption cannot be used as
// a scalar, since there is no scalar when the assumption fails.
LaneValue finish(LaneValue value, unsigned width) {
  if (value.range.constant()) {
    LaneValue result = LaneValue::constant(value.range.low, width);
    result.tag = value.tag;
    result.tag_dimension = value.tag_dimension;
    return result;
  }
  if (value.uniform() && !value.assumptions.empty()) {
    const Interval range = value.range;
    value = LaneValue::varying();
    value.range = range;
  }
  return value;
}

LaneValue both_strided(const LaneValue& a, const LaneValue& b, const LaneSteps& steps) {
  LaneValue result = LaneValue::make_uniform(a.block_uniform && b.block_uniform);
  result.steps = steps;
  result.assumptions = unite(a.assumptions, b.assumptions);
  return result;
}

}  // namespace

LaneValue LaneValue::make_uniform(bool block_uniform) {
  LaneValue value;
  value.kind = Kind::strided;
  value.block_uniform = block_uniform;
  return value;
}

LaneValue LaneValue::constant(std::int64_t number, unsigned width) {
  LaneValue value = make_uniform(true);
  value.range = Interval::of(number, number, width);
  value.base_zeros = zeros_of(wrap(number, width));
  return value;
}

LaneValue join(const LaneValue& a, const LaneValue& b, unsigned width) {
  if (a.kind == LaneValue::Kind::none) return b;
  if (b.kind == LaneValue::Kind::none) return a;
  LaneValue result =
      a.strided() && b.strided() && a.steps == b.steps ? both_strided(a, b, a.steps) : LaneValue::varying();
  result.range = join(a.range, b.range, width);
  if (!result.strided()) return result;
  result.base_zeros = std::min(a.base_zeros, b.base_zeros);
  if (a.tag == b.tag && a.tag_dimension == b.tag_dimension) {
    result.tag = a.tag;
    result.tag_dimension = a.tag_dimension;
  }
  return finish(std::move(result), width);
}

LaneValue LaneArithmetic::generic(std::initializer_list<const LaneValue*> operands, Interval range) {
  bool uniform = true, block_uniform = true;
  for (const LaneValue* operand : operands) {
    uniform &= operand->uniform();
    block_uniform &= operand->block_uniform;
  }
  LaneValue result = uniform ? LaneValue::make_uniform(block_uniform) : LaneValue::varying();
  result.range = range;
  return result;
}

Interval LaneArithmetic::bound_of(LaneValue::Tag tag, unsigned dimension) const {
  if (!model_.global_id_fits) return Interval::any();
  switch (tag) {
    case LaneValue::Tag::block_start:
    case LaneValue::Tag::global_id: return {0, INT32_MAX, false};
    case LaneValue::Tag::grid_size: return {1, std::int64_t{INT32_MAX} + 1, false};
    default: static_cast<void>(dimension); return Interval::any();
  }
}

LaneValue LaneArithmetic::bounded(LaneValue value) const {
  const Interval bound = bound_of(value.tag, value.tag_dimension);
  if (!bound.full && (value.range.full || value.range.span() > bound.span())) value.range = bound;
  return value;
}

std::int64_t LaneArithmetic::offset(const LaneValue& value, unsigned lane) const {
  std::int64_t sum = 0;
  for (unsigned bit = 0; bit < lane_bits; ++bit)
    if ((lane >> bit & 1) != 0) sum = wrapping_add(sum, value.steps[bit]);
  return sum;
}

std::optional<LaneSteps> LaneArithmetic::fit(const std::vector<std::int64_t>& distances) const {
  LaneValue value = LaneValue::make_uniform(false);
  for (unsigned bit = 0; bit < model_.bits(); ++bit) value.steps[bit] = distances[std::size_t{1} << bit];
  for (unsigned lane = 0; lane < model_.lanes; ++lane)
    if (offset(value, lane) != distances[lane]) return std::nullopt;
  return value.steps;
}

std::optional<std::vector<std::int64_t>> LaneArithmetic::low_bits(const LaneValue& value, unsigned width) const {
  if (!value.strided()) return std::nullopt;
  const unsigned bits = std::min<unsigned>(value.base_zeros, width);
  const std::int64_t limit = bits >= 63 ? INT64_MAX : std::int64_t{1} << bits;
  std::vector<std::int64_t> distances(model_.lanes);
  for (unsigned lane = 0; lane < model_.lanes; ++lane) {
    distances[lane] = offset(value, lane);
    if (distances[lane] < 0 || distances[lane] >= limit) return std::nullopt;
  }
  return distances;
}

LaneValue LaneArithmetic::with_distances(LaneValue base, const std::vector<std::int64_t>& distances,
                                         unsigned width) const {
  const auto steps = fit(distances);
  if (!steps) {
    LaneValue result = LaneValue::varying();
    result.range = base.range;
    return finish(std::move(result), width);
  }
  base.steps = *steps;
  base.tag = LaneValue::Tag::none;
  return finish(std::move(base), width);
}

// Trailing zeros that every lane's value has.
unsigned LaneArithmetic::common_zeros(const LaneValue& value) const {
  unsigned zeros = value.base_zeros;
  for (std::int64_t step : value.steps) zeros = std::min<unsigned>(zeros, zeros_of(step));
  return zeros;
}

LaneValue LaneArithmetic::add(const LaneValue& a, const LaneValue& b, unsigned width) const {
  LaneValue result = LaneValue::varying();
  if (a.strided() && b.strided()) {
    LaneSteps steps;
    for (unsigned bit = 0; bit < lane_bits; ++bit) steps[bit] = wrap(wrapping_add(a.steps[bit], b.steps[bit]), width);
    result = both_strided(a, b, steps);
    result.base_zeros = std::min(a.base_zeros, b.base_zeros);
    const bool start_first = a.tag == LaneValue::Tag::block_start && b.tag == LaneValue::Tag::tid;
    const bool start_last = b.tag == LaneValue::Tag::block_start && a.tag == LaneValue::Tag::tid;
    if ((start_first || start_last) && a.tag_dimension == b.tag_dimension) {
      result.tag = LaneValue::Tag::global_id;
      result.tag_dimension = a.tag_dimension;
    }
  }
  result.range = analysis::add(a.range, b.range, width);
  return finish(bounded(std::move(result)), width);
}

LaneValue LaneArithmetic::negate(const LaneValue& a, unsigned width) const {
  return subtract(LaneValue::constant(0, width), a, width);
}

LaneValue LaneArithmetic::complement(const LaneValue& a, unsigned width) const {
  return subtract(LaneValue::constant(-1, width), a, width);
}

LaneValue LaneArithmetic::subtract(const LaneValue& a, const LaneValue& b, unsigned width) const {
  LaneValue result = LaneValue::varying();
  if (a.strided() && b.strided()) {
    LaneSteps steps;
    for (unsigned bit = 0; bit < lane_bits; ++bit)
      steps[bit] = wrap(wrapping_add(a.steps[bit], wrapping_multiply(b.steps[bit], -1)), width);
    result = both_strided(a, b, steps);
    result.base_zeros = std::min(a.base_zeros, b.base_zeros);
  }
  result.range = analysis::subtract(a.range, b.range, width);
  return finish(std::move(result), width);
}

LaneValue LaneArithmetic::multiply(const LaneValue& a, const LaneValue& b, unsigned width) const {
  if (!b.is_constant() && a.is_constant()) return multiply(b, a, width);
  LaneValue result = LaneValue::varying();
  if (a.strided() && b.is_constant()) {
    LaneSteps steps;
    for (unsigned bit = 0; bit < lane_bits; ++bit)
      steps[bit] = wrap(wrapping_multiply(a.steps[bit], b.range.low), width);
    result = both_strided(a, b, steps);
  } else if (a.uniform() && b.uniform()) {
    result = both_strided(a, b, {});
  }
  using Tag = LaneValue::Tag;
  const auto is = [&](const LaneValue& x, Tag tag, const LaneValue& y) {
    const auto& extent = model_.ntid[x.tag_dimension];
    return x.tag == tag && ((y.tag == Tag::ntid && y.tag_dimension == x.tag_dimension) ||
                            (extent && y.is_constant() && y.range.low == *extent));
  };
  if (result.strided()) {
    const int zeros = int{a.base_zeros} + int{b.base_zeros};
    result.base_zeros = static_cast<std::uint8_t>(zeros >= static_cast<int>(width) ? 64 : zeros);
    for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      if (!is(*x, Tag::ctaid, *y) && !is(*x, Tag::nctaid, *y)) continue;
      result.tag = x->tag == Tag::ctaid ? Tag::block_start : Tag::grid_size;
      result.tag_dimension = x->tag_dimension;
    }
  }
  result.range = analysis::multiply(a.range, b.range, width);
  return finish(bounded(std::move(result)), width);
}

LaneValue LaneArithmetic::shift_left(const LaneValue& a, const LaneValue& count, unsigned width) const {
  if (!count.is_constant()) return generic({&a, &count});
  const Interval by = count.range.as_unsigned(32);
  if (by.full || by.low >= width) return LaneValue::constant(0, width);
  return multiply(a, LaneValue::constant(static_cast<std::int64_t>(std::uint64_t{1} << by.low), 64), width);
}

LaneValue LaneArithmetic::shift_right(const LaneValue& a, const LaneValue& count, bool is_signed,
                                      unsigned width) const {
  const Interval by = count.is_constant() ? count.range.as_unsigned(32) : Interval::any();
  if (by.full) return finish(generic({&a, &count}), width);
  const auto k = static_cast<unsigned>(std::min<std::int64_t>(by.low, width));
  if (k == width && !is_signed) return LaneValue::constant(0, width);
  const unsigned shift = std::min(k, width - 1);
  const Interval range = analysis::shift_right(a.range, shift, is_signed, width);
  if (range.constant()) return LaneValue::constant(range.low, width);
  LaneValue base = a;
  base.range = range;
  base.tag = LaneValue::Tag::none;
  base.base_zeros =
      static_cast<std::uint8_t>(a.base_zeros >= 64 ? 64 : a.base_zeros - std::min<unsigned>(shift, a.base_zeros));
  if (auto distances = low_bits(a, width)) {
    // Where the base is 0, a distance may reach the sign.
    for (std::int64_t& distance : *distances) distance = (is_signed ? wrap(distance, width) : distance) >> shift;
    return with_distances(std::move(base), *distances, width);
  }
  bool wraps = true;
  if (a.strided() && common_zeros(a) >= shift) extend(a, is_signed, width, 64, wraps);
  if (wraps || width >= 64) {
    LaneValue result = LaneValue::varying();
    result.range = range;
    return result;
  }
  for (std::int64_t& step : base.steps) step >>= shift;
  return finish(std::move(base), width);
}

LaneValue LaneArithmetic::bit_and(const LaneValue& a, const LaneValue& b, unsigned width) const {
  if (!b.is_constant() && a.is_constant()) return bit_and(b, a, width);
  const Interval range = analysis::bit_and(a.range, b.range, width);
  if (range.constant()) return LaneValue::constant(range.low, width);
  if (b.is_constant()) {
    const std::int64_t mask = wrap(b.range.low, width);
    const std::int64_t low_ones = mask & wrapping_add(mask, 1);  // 0 when the mask is ones up to some bit
    if (low_ones == 0 && a.range.as_unsigned(width).within(0, mask)) return a;
    if (auto distances = low_bits(a, width)) {
      for (std::int64_t& distance : *distances) distance &= mask;
      LaneValue base = a;
      base.range = range;
      const bool base_gone =
          a.base_zeros >= 64 || (static_cast<std::uint64_t>(wrap(mask, width)) &
                                 (width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0})) >>
                                        a.base_zeros ==
                                    0;
      base.base_zeros = base_gone ? std::uint8_t{64} : std::max(a.base_zeros, zeros_of(mask));
      return with_distances(std::move(base), *distances, width);
    }
  }
  LaneValue result = generic({&a, &b}, range);
  if (result.strided()) result.base_zeros = std::max(a.base_zeros, b.base_zeros);
  return finish(std::move(result), width);
}

LaneValue LaneArithmetic::bit_or(const LaneValue& a, const LaneValue& b, unsigned width, bool exclusive) const {
  const auto below = [&](const LaneValue& x, const LaneValue& y) {  // x lies below the lowest bit of y
    const unsigned zeros = common_zeros(y);
    return y.strided() && zeros > 0 &&
           x.range.as_unsigned(width).within(0, zeros >= 63 ? INT64_MAX : (std::int64_t{1} << zeros) - 1);
  };
  if (below(a, b) || below(b, a)) return add(a, b, width);
  if (!b.is_constant() && a.is_constant()) return bit_or(b, a, width, exclusive);
  const Interval range = analysis::bit_or(a.range, b.range, width);
  if (b.is_constant()) {
    if (exclusive && wrap(b.range.low, width) == -1) return complement(a, width);
    if (auto distances = low_bits(a, width)) {
      const std::int64_t bits = b.range.low;
      const std::int64_t from = bits;  // lane 0 has distance 0
      for (std::int64_t& distance : *distances)
        distance = wrapping_add(exclusive ? distance ^ bits : distance | bits, wrapping_multiply(from, -1));
      LaneValue base = a;
      base.range = range;
      base.base_zeros = std::min(a.base_zeros, zeros_of(wrap(bits, width)));
      return with_distances(std::move(base), *distances, width);
    }
  }
  LaneValue result = generic({&a, &b}, range);
  if (result.strided()) result.base_zeros = std::min(a.base_zeros, b.base_zeros);
  return finish(std::move(result), width);
}

LaneValue LaneArithmetic::divide(const LaneValue& a, const LaneValue& b, bool is_signed, unsigned width) const {
  if (b.is_constant() && b.range.low > 0 && std::has_single_bit(static_cast<std::uint64_t>(b.range.low)) &&
      (!is_signed || a.range.as_signed(width).within(0, INT64_MAX)))
    return shift_right(a, LaneValue::constant(zeros_of(b.range.low), 32), false, width);
  return finish(generic({&a, &b}, analysis::divide(a.range, b.range, is_signed, width)), width);
}

LaneValue LaneArithmetic::remainder(const LaneValue& a, const LaneValue& b, bool is_signed, unsigned width) const {
  if (b.is_constant() && b.range.low > 0 && std::has_single_bit(static_cast<std::uint64_t>(b.range.low)) &&
      (!is_signed || a.range.as_signed(width).within(0, INT64_MAX)))
    return bit_and(a, LaneValue::constant(b.range.low - 1, width), width);
  return finish(generic({&a, &b}, analysis::remainder(a.range, b.range, is_signed, width)), width);
}

LaneValue LaneArithmetic::truncate(const LaneValue& a, unsigned width) const {
  LaneValue result = a;
  for (std::int64_t& step : result.steps) step = wrap(step, width);
  if (!a.range.full) result.range = Interval::of(a.range.low, a.range.high, width);
  if (result.base_zeros >= width) result.base_zeros = 64;
  if (width < 32) result.tag = LaneValue::Tag::none;
  return finish(std::move(result), width);
}

LaneValue LaneArithmetic::extend(const LaneValue& a, bool is_signed, unsigned from, unsigned to,
                                 bool& needs_check) const {
  needs_check = false;
  LaneValue result = a;
  const Interval exact = is_signed ? a.range.as_signed(from) : a.range.as_unsigned(from);
  result.range = exact.full ? all_of(is_signed, from) : exact;
  if (exact.full || exact.low < 0) result.tag = LaneValue::Tag::none;
  if (!a.strided() || a.uniform()) return finish(std::move(result), to);
  if (auto distances = low_bits(a, from)) {
    const std::int64_t most = *std::max_element(distances->begin(), distances->end());
    if (a.base_zeros < from || most < std::int64_t{1} << (from - 1)) return finish(std::move(result), to);
  }
  std::int64_t least = 0, most = 0;
  for (unsigned lane = 0; lane < model_.lanes; ++lane) {
    least = std::min(least, offset(a, lane));
    most = std::max(most, offset(a, lane));
  }
  const __int128 spread = __int128{most} - least;
  needs_check = exact.full || exact.span() + spread >= __int128{1} << from;
  return finish(std::move(result), to);
}

}  // namespace heddle::ptx::analysis
