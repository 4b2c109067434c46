#include "daemon/tenant.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace heddle::daemon {
namespace {

void write_settings(Page& page, const sched::TenantSettings& settings) {
  page.quota_bits.store(std::bit_cast<std::uint64_t>(settings.quota), std::memory_order_relaxed);
  page.tenant_class.store(settings.kind == sched::TenantClass::latency ? 0 : 1, std::memory_order_relaxed);
  page.settings.store(1, std::memory_order_release);
}

// Whether both decisions are the same but for their times.
bool is_repeated(const Moment& before, const Moment& now) {
  if (!before.decided || before.kernel != now.kernel) return false;
  const auto rest = [](const Decided& decided) {
    return std::tuple(decided.begin, decided.end, decided.of_blocks, decided.units, decided.of_units, decided.why);
  };
  return rest(*before.decided) == rest(*now.decided);
}

}  // namespace

std::optional<Event> Member::next(std::uint64_t& budget) {
  while (budget > 0) {
    --budget;
    const auto message = reader_.pop();
    if (!message) return std::nullopt;
    auto event = decode(*message);
    if (!event) continue;
    if (const auto* const name = std::get_if<Name>(&*event)) {
      names_[name->number] = name->text;
      continue;
    }
    return event;
  }
  return std::nullopt;
}

LatencyCounts Member::latencies() const {
  LatencyCounts counts;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = page_->latencies[i].load(std::memory_order_relaxed);
  return counts;
}

Member& TenantEntry::add(SharedPage page) {
  members_.push_back(std::make_unique<Member>(std::move(page)));
  granted_ = false;
  return *members_.back();
}

void TenantEntry::remove(const Member& member) {
  const LatencyCounts counts = member.latencies();
  for (std::size_t i = 0; i < counts.size(); ++i) ended_latencies_[i] += counts[i];
  std::erase_if(members_, [&](const auto& other) { return other.get() == &member; });
}

bool TenantEntry::awake() const {
  return std::any_of(members_.begin(), members_.end(), [](const auto& member) { return member->awake(); });
}

bool TenantEntry::broken() const {
  return std::any_of(members_.begin(), members_.end(), [](const auto& member) { return member->broken(); });
}

void TenantEntry::remember(Moment moment) {
  if (moment.decided && !moments_.empty() && is_repeated(moments_.back(), moment)) {
    Moment& last = moments_.back();
    ++last.times;
    last.last_ns = moment.now_ns;
    last.decided->waited_ns = std::min(last.decided->waited_ns, moment.decided->waited_ns);
    last.longest_wait_ns = std::max(last.longest_wait_ns, moment.decided->waited_ns);
    return;
  }
  if (moments_.size() == most_moments) moments_.pop_front();
  moments_.push_back(std::move(moment));
}

void TenantEntry::read() {
  for (const auto& member : members_) {
    std::uint64_t budget = ring_capacity;
    while (const auto event = member->next(budget)) {
      if (const auto* const ended = std::get_if<Ended>(&*event)) {
        ranges_ += ended->ranges;
        seconds_ += ended->seconds;
      } else if (const auto* const decided = std::get_if<Decided>(&*event)) {
        remember({decided->now_ns, {}, *decided, member->name(decided->name)});
      }
    }
  }
}

bool TenantEntry::write(const Grant& grant, std::uint64_t now_ns) {
  const bool changed = grant != grant_;
  for (const auto& member : members_) {
    Page& page = member->page();
    // Also where the tenant has written over it.
    if (!granted_ || changed || read_grant(page) != grant) write_grant(page, grant);
    write_settings(page, settings_);
    page.beat_ns.store(now_ns, std::memory_order_release);
  }
  grant_ = grant;
  granted_ = true;
  return changed;
}

std::uint64_t TenantEntry::sum(std::atomic<std::uint64_t> Page::* word) const {
  std::uint64_t all = 0;
  for (const auto& member : members_) all += (member->page().*word).load(std::memory_order_relaxed);
  return all;
}

std::uint64_t TenantEntry::held() const { return sum(&Page::held); }
std::uint64_t TenantEntry::in_flight() const { return sum(&Page::in_flight); }
std::uint64_t TenantEntry::lost() const { return sum(&Page::lost); }

LatencyCounts TenantEntry::latencies() const {
  LatencyCounts counts = ended_latencies_;
  for (const auto& member : members_) {
    const LatencyCounts its = member->latencies();
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += its[i];
  }
  return counts;
}

LatencyCounts TenantEntry::recent_latencies() const {
  LatencyCounts counts = latencies();
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] -= older_[i];
  return counts;
}

void TenantEntry::look_at_latencies(std::uint64_t now_ns) {
  if (now_ns < looked_ns_ + window_ns) return;
  looked_ns_ = now_ns;
  older_ = std::exchange(newer_, latencies());
}

}  // namespace heddle::daemon
