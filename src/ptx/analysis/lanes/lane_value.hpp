// What is known about the values that the lanes of a group hold in one register at one time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/analysis/lanes/interval.hpp"
#include "ptx/analysis/lanes/lane_model.hpp"

namespace heddle::ptx::analysis {

struct LaneValue {
  enum class Kind : std::uint8_t {
    none,     // nothing has been found to define it
    strided,  // lane l holds base + the sum of steps[b] over the bits b that are 1 in l, modulo 2^width
    varying,
  };
  // Values that are one of the launch's coordinates, so that products and sums of them can be bounded.
  enum class Tag : std::uint8_t { none, tid, ntid, ctaid, nctaid, block_start, global_id, grid_size };

  Kind kind = Kind::none;
  bool block_uniform = false;  // the same for all threads of the block
  Tag tag = Tag::none;
  std::uint8_t tag_dimension = 0;
  std::uint8_t base_zeros = 0;  // the base is a multiple of 2^base_zeros; 64: it is 0
  LaneSteps steps{};
  Interval range;                          // of every lane's value
  std::vector<std::uint32_t> assumptions;  // numbers in Uniformity::assumptions(): strided only where these hold

  bool uniform() const { return kind == Kind::strided && steps == LaneSteps{}; }
  bool strided() const { return kind == Kind::strided; }
  bool is_constant() const { return uniform() && range.constant(); }

  static LaneValue varying() { return {Kind::varying}; }
  static LaneValue make_uniform(bool block_uniform);
  static LaneValue constant(std::int64_t value, unsigned width);
  friend bool operator==(const LaneValue&, const LaneValue&) = default;
};

// Value of either; varying when their steps differ.
LaneValue join(const LaneValue& a, const LaneValue& b, unsigned width);

// Arithmetic on strided values. `width` is that of the result.
class LaneArithmetic {
 public:
  explicit LaneArithmetic(const LaneModel& model) : model_(model) {}

  LaneValue add(const LaneValue& a, const LaneValue& b, unsigned width) const;
  LaneValue subtract(const LaneValue& a, const LaneValue& b, unsigned width) const;
  LaneValue negate(const LaneValue& a, unsigned width) const;
  LaneValue complement(const LaneValue& a, unsigned width) const;
  LaneValue multiply(const LaneValue& a, const LaneValue& b, unsigned width) const;
  LaneValue shift_left(const LaneValue& a, const LaneValue& count, unsigned width) const;
  LaneValue shift_right(const LaneValue& a, const LaneValue& count, bool is_signed, unsigned width) const;
  LaneValue bit_and(const LaneValue& a, const LaneValue& b, unsigned width) const;
  LaneValue bit_or(const LaneValue& a, const LaneValue& b, unsigned width, bool exclusive) const;
  LaneValue divide(const LaneValue& a, const LaneValue& b, bool is_signed, unsigned width) const;
  LaneValue remainder(const LaneValue& a, const LaneValue& b, bool is_signed, unsigned width) const;
  LaneValue truncate(const LaneValue& a, unsigned width) const;
  // Sign or zero extension from `from` to `to` bits. When it is not certain that no lane wraps around the end of `from`
  // bits, `needs_check` is set and the result holds only if none does.
  LaneValue extend(const LaneValue& a, bool is_signed, unsigned from, unsigned to, bool& needs_check) const;

  // Uniform when all of `operands` are, else varying; with the bounds given.
  static LaneValue generic(std::initializer_list<const LaneValue*> operands, Interval range = {});

  // The distance of lane l from lane 0.
  std::int64_t offset(const LaneValue& value, unsigned lane) const;
  // Steps that give lane l the distance distances[l]; none when no steps do.
  std::optional<LaneSteps> fit(const std::vector<std::int64_t>& distances) const;

 private:
  // The lanes' distances when they lie in the bits below the base's trailing zeros, and within `width` bits: then base
  // + distance is base | distance.
  std::optional<std::vector<std::int64_t>> low_bits(const LaneValue& value, unsigned width) const;
  LaneValue with_distances(LaneValue base, const std::vector<std::int64_t>& distances, unsigned width) const;
  unsigned common_zeros(const LaneValue& value) const;
  LaneValue bounded(LaneValue value) const;
  Interval bound_of(LaneValue::Tag tag, unsigned dimension) const;

  const LaneModel& model_;
};

}  // namespace heddle::ptx::analysis
