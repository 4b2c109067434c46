#include "device/machine/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/format.hpp"

namespace heddle::device::machine {

namespace {

// Memory of a program's own keeps its place within so many bytes: the most that a thread accesses at once.
constexpr std::uint64_t host_alignment = 16;

std::uint64_t model_offset(const Allocation& allocation) {
  return allocation.kind == Allocation::Kind::host ? allocation.address % host_alignment : 0;
}

}  // namespace

// With the lock held.
void AddressMap::give_model_address(Allocation& allocation) {
  const std::uint64_t offset = model_offset(allocation);
  allocation.model = model_.take(allocation.size + offset) + offset;
}

void AddressMap::take_model_address(const Allocation& allocation) {
  const std::uint64_t offset = model_offset(allocation);
  model_.release(allocation.model - offset, allocation.size + offset);
}

void AddressMap::add(Allocation allocation) {
  std::unique_lock lock(mutex_);
  const std::uint64_t address = allocation.address;
  if (const auto old = by_address_.find(address); old != by_address_.end()) take_model_address(old->second);
  give_model_address(allocation);
  by_address_.insert_or_assign(address, std::move(allocation));
  ++version_;
}

bool AddressMap::add_if_disjoint(Allocation allocation) {
  std::unique_lock lock(mutex_);
  const auto after = by_address_.lower_bound(allocation.address);
  if (after != by_address_.end() && after->first - allocation.address < std::max<std::uint64_t>(allocation.size, 1))
    return false;
  if (after != by_address_.begin() && std::prev(after)->second.contains(allocation.address, 1)) return false;
  const std::uint64_t address = allocation.address;
  give_model_address(allocation);
  by_address_.emplace_hint(after, address, std::move(allocation));
  ++version_;
  return true;
}

void AddressMap::name_host(std::uint64_t address, std::string name) {
  std::unique_lock lock(mutex_);
  const auto found = by_address_.find(address);
  if (found != by_address_.end() && found->second.kind == Allocation::Kind::host) found->second.name = std::move(name);
}

void AddressMap::guard(std::uint64_t address) {
  std::unique_lock lock(mutex_);
  if (const auto found = by_address_.find(address); found != by_address_.end()) found->second.guarded = true;
  ++version_;
}

std::optional<Allocation> AddressMap::remove(std::uint64_t address) {
  std::unique_lock lock(mutex_);
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return std::nullopt;
  Allocation result = std::move(found->second);
  take_model_address(result);
  by_address_.erase(found);
  ++version_;
  return result;
}

// With the lock held.
const Allocation* AddressMap::holding(std::uint64_t address, std::uint64_t bytes) const {
  const auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  return candidate.contains(address, bytes) ? &candidate : nullptr;
}

std::optional<AddressMap::Holder> AddressMap::holder(std::uint64_t address, std::uint64_t bytes) const {
  std::shared_lock lock(mutex_);
  const Allocation* found = holding(address, bytes);
  if (!found) return std::nullopt;
  return Holder{found->kind, found->guarded, found->address, found->size, found->model};
}

std::optional<Allocation> AddressMap::find(std::uint64_t address, std::uint64_t bytes) const {
  std::shared_lock lock(mutex_);
  const Allocation* found = holding(address, bytes);
  return found ? std::optional(*found) : std::nullopt;
}

std::optional<Allocation> AddressMap::first_of(Allocation::Kind kind) const {
  std::shared_lock lock(mutex_);
  for (const auto& [address, allocation] : by_address_)
    if (allocation.kind == kind) return allocation;
  return std::nullopt;
}

std::string AddressMap::describe_nearest(std::uint64_t address) const {
  std::shared_lock lock(mutex_);
  if (by_address_.empty()) return "nothing is allocated";
  const auto after = by_address_.upper_bound(address);
  std::uint64_t best = ~std::uint64_t{0};
  std::string text;
  if (after != by_address_.begin()) {
    const Allocation& below = std::prev(after)->second;
    const std::uint64_t offset = address - below.address;
    best = offset < below.size ? 0 : offset - below.size;
    text = offset < below.size ? fmt::format("it begins at byte {} of {}", offset, describe(below))
           : best == 0         ? "it is right behind the end of " + describe(below)
                       : fmt::format("it is {} behind the end of {}", base::counted(best, "byte"), describe(below));
  }
  if (after != by_address_.end() && after->second.address - address < best) {
    text = fmt::format("it is {} before {}", base::counted(after->second.address - address, "byte"),
                       describe(after->second));
  }
  return text;
}

std::string describe(const Allocation& allocation) {
  const bool variable_of_host = allocation.kind == Allocation::Kind::host && !allocation.name.empty();
  const char* what = variable_of_host                                ? "the variable"
                     : allocation.kind == Allocation::Kind::heap     ? "malloc() memory"
                     : allocation.kind == Allocation::Kind::host     ? "the host memory"
                     : allocation.kind == Allocation::Kind::constant ? "the constant"
                     : allocation.kind == Allocation::Kind::variable ? "the variable"
                                                                     : "the allocation";
  const std::string name = allocation.name.empty() ? "" : fmt::format(" '{}'", allocation.name);
  return fmt::format("{}{} of {} at {:#x}", what, name, base::counted(allocation.size, "byte"), allocation.address);
}

}  // namespace heddle::device::machine
