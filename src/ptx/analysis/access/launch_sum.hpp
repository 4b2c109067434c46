// Sums of products of what a launch fixes (its sizes, the numbers that are passed to it) and of what differs from
// thread to thread (their coordinates): 4 * (ctaid.y * ntid.y + tid.y) * width + 4 * (ctaid.x * ntid.x + tid.x).
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <span>

#include "heddle/dim3.hpp"

namespace heddle::ptx::analysis {

// What a product is of. The parameters of the kernel follow: number_of_parameter().
enum class LaunchNumber : std::uint16_t {
  none,
  tid_x,
  tid_y,
  tid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  first_parameter
};
inline LaunchNumber number_of_parameter(std::uint32_t parameter) {
  return static_cast<LaunchNumber>(static_cast<std::uint32_t>(LaunchNumber::first_parameter) + parameter);
}

// The least and the largest that a number can be.
struct Bounds {
  std::int64_t least = 0, most = 0;
};

// The numbers of a range of blocks of a launch.
class LaunchNumbers {
 public:
  // `range` is not empty and lies in the grid. `parameters`: the numbers that are passed, by parameter; nothing for a
  // parameter whose value is not known.
  LaunchNumbers(const Dim3& grid, const Dim3& block, const BlockRange& range,
                std::span<const std::optional<std::int64_t>> parameters);
  // Nothing where it is not known. No number is negative: a parameter that is counts as not known.
  std::optional<Bounds> operator[](LaunchNumber number) const;

 private:
  std::array<Bounds, static_cast<std::size_t>(LaunchNumber::first_parameter)> known_{};
  std::span<const std::optional<std::int64_t>> parameters_;
};

class LaunchSum {
 public:
  LaunchSum() = default;  // 0
  // Nothing for a constant beyond 40 bits: no address needs it.
  static std::optional<LaunchSum> of(std::int64_t constant);
  static LaunchSum of(LaunchNumber number);

  // Nothing where the result has more products, or products of more numbers, than are followed.
  std::optional<LaunchSum> plus(const LaunchSum& other) const;
  std::optional<LaunchSum> times(const LaunchSum& other) const;
  std::optional<LaunchSum> plus(std::int64_t constant) const {
    const auto sum = of(constant);
    return sum ? plus(*sum) : std::nullopt;
  }
  std::optional<LaunchSum> times(std::int64_t factor) const {
    const auto sum = of(factor);
    return sum ? times(*sum) : std::nullopt;
  }

  // The sum without the number, which is in it once and as it is; nothing if that is not so.
  std::optional<LaunchSum> without(LaunchNumber number) const;
  bool is_constant() const;
  std::int64_t constant() const;  // the term without numbers
  bool has_negative_factor() const;
  // Whether `power` of two divides every factor.
  bool is_multiple_of(std::int64_t power) const;

  // Nothing where a number is not known, or where 62 bits do not suffice.
  std::optional<Bounds> bounds(const LaunchNumbers& numbers) const;
  // The sum of the products' largest magnitudes, which no order of adding them exceeds.
  std::optional<std::int64_t> magnitude(const LaunchNumbers& numbers) const;

  friend bool operator==(const LaunchSum&, const LaunchSum&) = default;

 private:
  static constexpr std::size_t most_products = 12, most_numbers = 4;
  struct Product {
    std::array<LaunchNumber, most_numbers> of{};  // ascending; those that it has fewer are `none`
    std::int64_t factor = 0;
    friend bool operator==(const Product&, const Product&) = default;
  };
  bool add(const Product& product);
  static std::optional<Product> multiplied(const Product& a, const Product& b);
  static std::optional<Bounds> bounds(const Product& product, const LaunchNumbers& numbers);

  boost::container::small_vector<Product, 4> products_;  // sorted by their numbers, without factors of 0
};

}  // namespace heddle::ptx::analysis
