#include "skeleton/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.hpp"

namespace heddle::skeleton {
namespace {

std::uint64_t quantum_of(const ArrayUse& array) {
  std::uint64_t elements = array.unit;
  for (const KernelUse& use : array.kernels) elements = std::lcm(elements, use.per_thread * use.group);
  return elements / array.unit;
}

// The part after `first` units that is nearest to ending at `target`.
std::uint64_t nearest_count(std::uint64_t first, double target, std::uint64_t quantum, std::uint64_t left) {
  const double wanted = std::max(0.0, target - static_cast<double>(first)) / static_cast<double>(quantum);
  const auto count = static_cast<std::uint64_t>(std::llround(wanted)) * quantum;
  return count <= left ? count : left / quantum * quantum;
}

}  // namespace

std::uint64_t units_of(std::span<const ArrayUse> arrays) {
  const ArrayUse* first = nullptr;
  std::uint64_t units = 0;
  for (const ArrayUse& array : arrays) {
    if (array.elements == 0)
      base::fail(ErrorCode::invalid_argument,
                 "{} has no elements, so that there is no work; an array that is cut has one element or more",
                 array.name);
    if (array.elements % array.unit != 0)
      base::fail(ErrorCode::invalid_argument, "{} has {} elements, no multiple of its partitioning unit of {}",
                 array.name, array.elements, array.unit);
    const std::uint64_t own = array.elements / array.unit;
    if (first != nullptr && own != units)
      base::fail(ErrorCode::invalid_argument,
                 "{} has {} partitioning units and {} has {}: they cannot be cut at the same places; give them units, "
                 "or copy one to all parts",
                 first->name, units, array.name, own);
    units = own;
    if (first == nullptr) first = &array;
  }
  if (units == 0) base::fail(ErrorCode::invalid_argument, "no argument is partitioned: there is no work");
  return units;
}

std::uint64_t quantum_of(std::span<const ArrayUse> arrays) {
  std::uint64_t quantum = 1;
  for (const ArrayUse& array : arrays) quantum = std::lcm(quantum, quantum_of(array));
  return quantum;
}

std::vector<Range> decompose(std::uint64_t units, std::span<const PartDemand> parts, std::uint64_t alignment) {
  double whole = 0;
  for (const PartDemand& part : parts) whole += part.weight;
  if (!(whole > 0)) base::fail(ErrorCode::invalid_argument, "no part has any share of the work");
  std::size_t last = parts.size() - 1;
  while (!(parts[last].weight > 0)) --last;
  std::vector<Range> ranges(parts.size());
  std::uint64_t at = 0;
  double reached = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    reached += parts[i].weight;
    const std::uint64_t quantum = std::lcm(quantum_of(parts[i].arrays), alignment);
    const double target = static_cast<double>(units) * reached / whole;
    std::uint64_t count = 0;
    if (i == last) {
      count = units - at;
    } else if (parts[i].weight > 0) {
      count = nearest_count(at, target, quantum, units - at);
    }
    ranges[i] = {at, count};
    at += count;
  }
  return ranges;
}

std::string why_not_split(std::uint64_t units, std::size_t count, std::span<const ArrayUse> arrays) {
  const std::uint64_t quantum = quantum_of(arrays);
  if (units / quantum + (units % quantum != 0 ? 1 : 0) >= count) return {};
  const ArrayUse* worst = nullptr;
  for (const ArrayUse& array : arrays)
    if (worst == nullptr || quantum_of(array) > quantum_of(*worst)) worst = &array;
  std::string reason = fmt::format("its partitioning unit of {} elements", worst->unit);
  for (const KernelUse& use : worst->kernels)
    if (use.per_thread * use.group > worst->unit)
      reason = fmt::format("kernel {}, whose blocks of {} threads compute {} elements", use.kernel, use.group,
                           use.per_thread * use.group);
  return fmt::format("{} has {} elements, too few for {} parts: parts are multiples of {} elements because of {}",
                     worst->name, worst->elements, count, quantum * worst->unit, reason);
}

}  // namespace heddle::skeleton
