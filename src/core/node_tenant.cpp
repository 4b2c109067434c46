#include "core/node_tenant.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "daemon/place.hpp"
#include "daemon/tenant_variable.hpp"

namespace heddle::core {

NodeTenant::NodeTenant(std::filesystem::path socket, sched::TenantSettings settings,
                       std::shared_ptr<base::Watcher> watcher)
    : settings_(settings),
      watcher_(std::move(watcher)),
      client_(std::move(socket), std::move(settings), watcher_->clock()) {}

std::shared_ptr<NodeTenant> NodeTenant::make(std::filesystem::path socket, sched::TenantSettings settings,
                                             std::shared_ptr<base::Watcher> watcher) {
  auto made = std::make_shared<NodeTenant>(std::move(socket), std::move(settings), std::move(watcher));
  made->start();
  return made;
}

std::shared_ptr<NodeTenant> NodeTenant::of_environment(const std::shared_ptr<base::Watcher>& watcher) {
  auto settings = daemon::tenant_of_environment();
  return settings ? make(daemon::socket_path(), std::move(*settings), watcher) : nullptr;
}

void NodeTenant::start() {
  const base::Lock lock(mutex_);
  if (!client_.wait_for_grant(first_grant_ns))
    base::log_info("tenant '{}': no daemon answers, so it has the devices for itself", settings_.name);
  set_tick();
}

NodeTenant::~NodeTenant() {
  const base::Lock lock(mutex_);
  if (tick_ != 0) watcher_->cancel(tick_);
  if (look_ != 0) watcher_->cancel(look_);
  flush();
}

// Returns the timer's number; 0: there is no memory for one.
std::uint64_t NodeTenant::timer(std::uint64_t time_ns, void (NodeTenant::*run)()) noexcept {
  try {
    return watcher_->at(time_ns, [self = weak_from_this(), run] {
      if (const auto alive = self.lock()) (alive.get()->*run)();
    });
  } catch (const std::exception& error) {
    base::log_debug("tenant '{}' gets no timer: {}", settings_.name, error.what());
    return 0;
  }
}

void NodeTenant::set_tick() noexcept { tick_ = timer(watcher_->clock().now_ns() + tick_ns, &NodeTenant::tick); }

// Reconnects, and tells what could not be told.
void NodeTenant::tick() {
  const base::Lock lock(mutex_);
  try {
    client_.maintain();
    flush();
  } catch (const std::exception& error) {  // on the watcher's thread; the next tick tries again
    base::log_debug("tenant '{}': {}", settings_.name, error.what());
  }
  set_tick();
}

void NodeTenant::flush() {
  if (untold_.ranges > 0 && client_.tell(untold_)) untold_ = {};
}

std::optional<sched::Allowance> NodeTenant::allowance() {
  const base::Lock lock(mutex_);
  const auto grant = client_.grant();
  if (!grant || grant->of_units == 0 || grant->of_units > daemon::most_units) return std::nullopt;
  sched::Allowance made{std::vector<bool>(grant->of_units), grant->throttle_ns != 0, grant->priority};
  for (std::size_t i = 0; i < made.units.size(); ++i) made.units[i] = grant->units[i];
  return made;
}

std::optional<NodeTenant::Own> NodeTenant::own() {
  const base::Lock lock(mutex_);
  const auto grant = client_.grant();
  if (!grant || grant->own_units == 0 || grant->own_units > grant->of_units) return std::nullopt;
  return Own{grant->own_units, grant->of_units};
}

void NodeTenant::submitted(const sched::Submitted& range) {
  daemon::Decided decided{.now_ns = range.now_ns,
                          .waited_ns = range.now_ns > range.held_ns ? range.now_ns - range.held_ns : 0,
                          .begin = range.blocks.begin,
                          .end = range.blocks.end,
                          .of_blocks = range.of_blocks,
                          .units = range.units,
                          .of_units = range.of_units,
                          .why = range.why};
  if (range.predicted_seconds >= 0) decided.predicted_ns = static_cast<std::uint64_t>(range.predicted_seconds * 1e9);
  const base::Lock lock(mutex_);
  client_.tell(decided, range.name);
}

void NodeTenant::ended(const sched::Completion& completion) {
  const base::Lock lock(mutex_);
  ++untold_.ranges;
  untold_.seconds += completion.seconds();
  if (!completion.range.last) return;
  const std::uint64_t made = completion.range.held_ns;
  client_.count_latency(completion.end_ns > made ? completion.end_ns - made : 0);
}

void NodeTenant::load(std::size_t held, std::size_t in_flight) {
  const base::Lock lock(mutex_);
  client_.set_load(held, in_flight);
  if (tick_ == 0) set_tick();  // there was no memory for it
  if (held + in_flight > 0) {
    idle_since_ns_ = 0;
    return client_.set_awake(true);
  }
  if (idle_since_ns_ != 0) return;
  idle_since_ns_ = watcher_->clock().now_ns();
  if (look_ == 0) set_look(idle_since_ns_ + linger_ns);
}

// Without a timer it is idle at once: others must not wait for it for ever.
void NodeTenant::set_look(std::uint64_t time_ns) noexcept {
  look_ = timer(time_ns, &NodeTenant::look_whether_idle);
  if (look_ == 0) client_.set_awake(false);
}

void NodeTenant::look_whether_idle() {
  const base::Lock lock(mutex_);
  look_ = 0;
  if (idle_since_ns_ == 0) return;
  const std::uint64_t end = idle_since_ns_ + linger_ns;
  if (watcher_->clock().now_ns() < end) return set_look(end);
  client_.set_awake(false);
  flush();
}

}  // namespace heddle::core
