#include "device/cuda/address_mapping.hpp"

#include <fmt/format.h>

#include <iterator>

namespace heddle::device::cuda {
namespace {

ErrorCode code_of(driver::Result result) {
  switch (result) {
    case driver::error_out_of_memory: return ErrorCode::out_of_memory;
    case driver::error_not_supported: return ErrorCode::unsupported;
    default: return ErrorCode::invalid_argument;
  }
}

void check(const DeviceState& state, driver::Result result, const std::string& what) {
  state.check(result, what, code_of(result));
}

}  // namespace

driver::PhysicalKind CudaAddressMapping::kind(bool compressible) const {
  driver::PhysicalKind kind;
  kind.type = driver::physical_pinned;
  kind.location_type = driver::location_device;
  kind.location_id = state_->number();
  kind.compression = compressible ? 1 : 0;
  return kind;
}

std::size_t CudaAddressMapping::granularity() {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  const driver::PhysicalKind plain = kind(false);
  std::size_t bytes = 0;
  check(*state_, state_->driver().physical_granularity(&bytes, &plain, driver::granularity_minimum),
        "asking in what steps memory can be mapped");
  return bytes;
}

std::uint64_t CudaAddressMapping::reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  driver::Address address = 0;
  check(*state_, state_->driver().address_reserve(&address, size, alignment, wanted, 0),
        fmt::format("reserving {} addresses", size));
  return address;
}

void CudaAddressMapping::free(std::uint64_t address, std::size_t size) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  check(*state_, state_->driver().address_free(address, size), "giving addresses back");
}

AddressMapping::Created CudaAddressMapping::create(std::size_t size, bool compressible) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  const driver::PhysicalKind wanted = kind(compressible);
  unsigned long long handle = 0;
  check(*state_, state_->driver().physical_create(&handle, size, &wanted, 0),
        fmt::format("allocating {} bytes that can be mapped", size));
  driver::PhysicalKind made;
  if (!compressible || state_->driver().physical_kind(&made, handle) != driver::success) return {handle, false};
  return {handle, made.compression != 0};
}

void CudaAddressMapping::release(std::uint64_t handle) noexcept {
  if (!state_->lost()) state_->driver().physical_release(handle);
}

void CudaAddressMapping::map(std::uint64_t address, std::size_t size, std::uint64_t handle) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  check(*state_, state_->driver().address_map(address, size, 0, handle, 0), fmt::format("mapping {} bytes", size));
  const base::Lock lock(mutex_);
  std::uint64_t begin = address, end = address + size;
  const auto behind = pieces_.find(end);
  if (behind != pieces_.end()) {
    end = behind->second;
    state_->spans.remove(behind->first);
    pieces_.erase(behind);
  }
  const auto next = pieces_.lower_bound(begin);
  if (next != pieces_.begin() && std::prev(next)->second == begin) begin = std::prev(next)->first;
  pieces_[begin] = end;
  state_->spans.add(begin, end - begin);
}

void CudaAddressMapping::unmap(std::uint64_t address, std::size_t size) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  check(*state_, state_->driver().address_unmap(address, size), fmt::format("unmapping {} bytes", size));
  const base::Lock lock(mutex_);
  const auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return;
  const auto [begin, end] = *std::prev(after);
  state_->spans.remove(begin);
  pieces_.erase(begin);
  const auto keep = [&](std::uint64_t from, std::uint64_t to) HEDDLE_NO_THREAD_SAFETY_ANALYSIS {
    if (from >= to) return;
    pieces_[from] = to;
    state_->spans.add(from, to - from);
  };
  keep(begin, address);
  keep(address + size, end);
}

void CudaAddressMapping::set_access(std::uint64_t address, std::size_t size, MappedAccess access) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  const int flags = access == MappedAccess::none   ? driver::access_none
                    : access == MappedAccess::read ? driver::access_read
                                                   : driver::access_read_write;
  const driver::MemoryAccess wanted{driver::location_device, state_->number(), flags};
  check(*state_, state_->driver().address_set_access(address, size, &wanted, 1), "changing who may access memory");
}

}  // namespace heddle::device::cuda
