#include "core/tenant_state.hpp"

#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::core {
namespace {

void check(const TenantOptions& options) {
  if (options.name.empty()) base::fail(ErrorCode::invalid_argument, "a tenant needs a name");
  if (!(options.quota >= 0 && options.quota <= 1))
    base::fail(ErrorCode::invalid_argument, "the quota of tenant '{}' is {}; it must be 0 to 1", options.name,
               options.quota);
  if (options.slip != 0 && !(options.slip >= 1 && options.slip <= 1000))
    base::fail(ErrorCode::invalid_argument, "the slip of tenant '{}' is {}; it must be 0 (none), or 1 to 1000",
               options.name, options.slip);
}

sched::TenantSettings settings_of(const TenantOptions& options) {
  return {.name = options.name,
          .kind = options.kind == TenantKind::latency ? sched::TenantClass::latency : sched::TenantClass::batch,
          .quota = options.quota,
          .slip = options.slip,
          .memory_bytes = options.memory_bytes};
}

}  // namespace

TenantState::TenantState(std::shared_ptr<Core> core, const TenantOptions& options)
    : core_(std::move(core)), options_(options), memory_(core_->places()) {
  check(options);
  const base::Lock lock(core_->mutex());
  sched::Dispatcher* const dispatcher = core_->dispatcher();
  if (dispatcher == nullptr) return;
  tenant_ = &dispatcher->add_tenant(settings_of(options));
  queue_ = &dispatcher->add_queue(options.name, 0, tenant_);
}

TenantState::~TenantState() {
  if (tenant_ == nullptr) return;
  base::Lock lock(core_->mutex_at_end());
  core_->dispatcher()->wait_until_idle(*tenant_, lock);
  core_->dispatcher()->remove_queue(*queue_);
  core_->dispatcher()->remove_tenant(*tenant_);
}

TenantOptions TenantState::options() const {
  const base::Lock lock(mutex_);
  return options_;
}

void TenantState::set(const TenantOptions& options) {
  check(options);
  {
    const base::Lock lock(mutex_);
    options_ = options;
  }
  if (tenant_ == nullptr) return;
  const base::Lock lock(core_->mutex());
  core_->dispatcher()->set_tenant(*tenant_, settings_of(options));
}

void TenantState::take_memory(std::size_t place, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  std::uint64_t& taken = memory_[place];
  const std::uint64_t limit = options_.memory_bytes;
  if (limit != 0 && (bytes > limit || taken > limit - bytes))
    base::fail(ErrorCode::out_of_memory, "tenant '{}' asks for {} of {}; it may have {} and has {}", options_.name,
               base::format_bytes(bytes), core_->device(place).info().id, base::format_bytes(limit),
               base::format_bytes(taken));
  taken += bytes;
}

void TenantState::give_memory(std::size_t place, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  memory_[place] -= bytes;
}

}  // namespace heddle::core
