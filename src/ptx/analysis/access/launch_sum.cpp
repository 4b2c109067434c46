#include "ptx/analysis/access/launch_sum.hpp"

#include <algorithm>
#include <cstdlib>

namespace heddle::ptx::analysis {
namespace {

constexpr std::int64_t most_factor = std::int64_t{1} << 40, most_value = std::int64_t{1} << 62;

std::optional<std::int64_t> checked(__int128 value) {
  if (value > -most_value && value < most_value) return static_cast<std::int64_t>(value);
  return std::nullopt;
}

}  // namespace

LaunchNumbers::LaunchNumbers(const Dim3& grid, const Dim3& block, const BlockRange& range,
                             std::span<const std::optional<std::int64_t>> parameters)
    : parameters_(parameters) {
  const auto set = [this](LaunchNumber number, std::uint64_t least, std::uint64_t most) {
    known_[static_cast<std::size_t>(number)] = {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
  };
  set(LaunchNumber::tid_x, 0, block.x - 1);
  set(LaunchNumber::tid_y, 0, block.y - 1);
  set(LaunchNumber::tid_z, 0, block.z - 1);
  set(LaunchNumber::ntid_x, block.x, block.x);
  set(LaunchNumber::ntid_y, block.y, block.y);
  set(LaunchNumber::ntid_z, block.z, block.z);
  set(LaunchNumber::nctaid_x, grid.x, grid.x);
  set(LaunchNumber::nctaid_y, grid.y, grid.y);
  set(LaunchNumber::nctaid_z, grid.z, grid.z);
  // Blocks follow each other along x, then y, then z: all of a dimension where a range goes over its end.
  const std::uint64_t first = range.begin, last = range.end - 1, plane = std::uint64_t{grid.x} * grid.y;
  const bool one_plane = first / plane == last / plane, one_row = first / grid.x == last / grid.x;
  set(LaunchNumber::ctaid_z, first / plane, last / plane);
  set(LaunchNumber::ctaid_y, one_plane ? first % plane / grid.x : 0, one_plane ? last % plane / grid.x : grid.y - 1);
  set(LaunchNumber::ctaid_x, one_row ? first % grid.x : 0, one_row ? last % grid.x : grid.x - 1);
}

std::optional<Bounds> LaunchNumbers::operator[](LaunchNumber number) const {
  if (number < LaunchNumber::first_parameter) return known_[static_cast<std::size_t>(number)];
  const auto parameter = static_cast<std::size_t>(number) - static_cast<std::size_t>(LaunchNumber::first_parameter);
  if (parameter >= parameters_.size() || !parameters_[parameter] || *parameters_[parameter] < 0) return std::nullopt;
  return Bounds{*parameters_[parameter], *parameters_[parameter]};
}

std::optional<LaunchSum> LaunchSum::of(std::int64_t constant) {
  if (constant <= -most_factor || constant >= most_factor) return std::nullopt;
  LaunchSum sum;
  sum.add({{}, constant});
  return sum;
}

LaunchSum LaunchSum::of(LaunchNumber number) {
  LaunchSum sum;
  Product product{{}, 1};
  product.of.back() = number;
  sum.add(product);
  return sum;
}

bool LaunchSum::add(const Product& product) {
  const auto at = std::lower_bound(products_.begin(), products_.end(), product,
                                   [](const Product& a, const Product& b) { return a.of < b.of; });
  if (at == products_.end() || at->of != product.of) {
    if (product.factor != 0) products_.insert(at, product);
    return products_.size() <= most_products && std::abs(product.factor) < most_factor;
  }
  at->factor += product.factor;
  if (std::abs(at->factor) >= most_factor) return false;
  if (at->factor == 0) products_.erase(at);
  return true;
}

std::optional<LaunchSum> LaunchSum::plus(const LaunchSum& other) const {
  LaunchSum sum = *this;
  for (const Product& product : other.products_)
    if (!sum.add(product)) return std::nullopt;
  return sum;
}

std::optional<LaunchSum::Product> LaunchSum::multiplied(const Product& a, const Product& b) {
  const auto factor = checked(static_cast<__int128>(a.factor) * b.factor);
  if (!factor) return std::nullopt;
  Product made{{}, *factor};
  std::array<LaunchNumber, 2 * most_numbers> all{};
  std::merge(a.of.begin(), a.of.end(), b.of.begin(), b.of.end(), all.begin());
  if (all[most_numbers - 1] != LaunchNumber::none) return std::nullopt;
  std::copy(all.begin() + most_numbers, all.end(), made.of.begin());
  return made;
}

std::optional<LaunchSum> LaunchSum::times(const LaunchSum& other) const {
  LaunchSum result;
  for (const Product& a : products_)
    for (const Product& b : other.products_) {
      const auto product = multiplied(a, b);
      if (!product || !result.add(*product)) return std::nullopt;
    }
  return result;
}

std::optional<LaunchSum> LaunchSum::without(LaunchNumber number) const {
  const auto has = [number](const Product& product) {
    return std::find(product.of.begin(), product.of.end(), number) != product.of.end();
  };
  const LaunchSum alone = of(number);
  const auto found = std::find(products_.begin(), products_.end(), alone.products_.front());
  if (found == products_.end() || std::count_if(products_.begin(), products_.end(), has) != 1) return std::nullopt;
  LaunchSum rest = *this;
  rest.products_.erase(rest.products_.begin() + (found - products_.begin()));
  return rest;
}

bool LaunchSum::is_constant() const {
  return products_.empty() || (products_.size() == 1 && products_.front().of == Product().of);
}

std::int64_t LaunchSum::constant() const {
  return !products_.empty() && products_.front().of == Product().of ? products_.front().factor : 0;
}

bool LaunchSum::has_negative_factor() const {
  return std::any_of(products_.begin(), products_.end(), [](const Product& product) { return product.factor < 0; });
}

bool LaunchSum::is_multiple_of(std::int64_t power) const {
  return std::all_of(products_.begin(), products_.end(),
                     [power](const Product& product) { return product.factor % power == 0; });
}

// Its numbers are not negative.
std::optional<Bounds> LaunchSum::bounds(const Product& product, const LaunchNumbers& numbers) {
  std::int64_t least = product.factor, most = product.factor;
  for (const LaunchNumber number : product.of) {
    if (number == LaunchNumber::none) continue;
    const auto value = numbers[number];
    if (!value) return std::nullopt;
    const auto a = checked(static_cast<__int128>(least) * value->least);
    const auto b = checked(static_cast<__int128>(most) * value->most);
    if (!a || !b) return std::nullopt;
    least = *a;
    most = *b;
  }
  return product.factor < 0 ? Bounds{most, least} : Bounds{least, most};
}

std::optional<Bounds> LaunchSum::bounds(const LaunchNumbers& numbers) const {
  __int128 least = 0, most = 0;
  for (const Product& product : products_) {
    const auto bounds = LaunchSum::bounds(product, numbers);
    if (!bounds) return std::nullopt;
    least += bounds->least;
    most += bounds->most;
  }
  const auto a = checked(least), b = checked(most);
  if (!a || !b) return std::nullopt;
  return Bounds{*a, *b};
}

std::optional<std::int64_t> LaunchSum::magnitude(const LaunchNumbers& numbers) const {
  __int128 all = 0;
  for (const Product& product : products_) {
    const auto bounds = LaunchSum::bounds(product, numbers);
    if (!bounds) return std::nullopt;
    all += std::max(std::abs(bounds->least), std::abs(bounds->most));
  }
  return checked(all);
}

}  // namespace heddle::ptx::analysis
