// A tenant as the daemon knows it: its settings, its processes, what they have told, and what it was granted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/feedback.hpp"
#include "daemon/latency.hpp"
#include "daemon/messages.hpp"
#include "daemon/shared_page.hpp"
#include "sched/tenant.hpp"

namespace heddle::daemon {

// One process of a tenant. What it has written is not trusted.
class Member {
 public:
  explicit Member(SharedPage page) : page_(std::move(page)), reader_(page_->events) {}
  Page& page() { return *page_; }
  const Page& page() const { return *page_; }
  int descriptor() const { return page_.descriptor(); }
  bool awake() const { return page_->awake.load(std::memory_order_acquire) != 0; }
  bool broken() const { return reader_.broken(); }
  // The next message that makes sense; nothing: there is none now. `budget` falls by one for each that was looked at.
  std::optional<Event> next(std::uint64_t& budget);
  const std::string& name(std::uint32_t number) const { return names_[number]; }
  LatencyCounts latencies() const;

 private:
  SharedPage page_;
  RingReader reader_;
  std::array<std::string, most_names> names_;
};

// What happened to a tenant, for `heddle explain`. Decisions that follow each other and differ in nothing but their
// times are one moment.
struct Moment {
  std::uint64_t now_ns = 0;
  std::string text;  // of a grant
  std::optional<Decided> decided = {};
  std::string kernel = {};  // of a decision
  std::uint64_t times = 1, last_ns = now_ns, longest_wait_ns = decided ? decided->waited_ns : 0;
};

class TenantEntry {
 public:
  TenantEntry(std::uint64_t id, sched::TenantSettings settings) : id_(id), settings_(std::move(settings)) {}

  std::uint64_t id() const { return id_; }
  const sched::TenantSettings& settings() const { return settings_; }
  void set(sched::TenantSettings settings) { settings_ = std::move(settings); }
  Member& add(SharedPage page);
  void remove(const Member& member);
  const std::vector<std::unique_ptr<Member>>& members() const { return members_; }
  bool awake() const;
  bool broken() const;

  // Reads what its processes have told.
  void read();
  // Writes the grant, the settings and the time into the pages of all of its processes. True: the grant has changed.
  bool write(const Grant& grant, std::uint64_t now_ns);
  const Grant& grant() const { return grant_; }
  void note(std::uint64_t now_ns, std::string text) { remember({now_ns, std::move(text), {}, {}}); }
  const std::deque<Moment>& moments() const { return moments_; }

  // Of all processes, also those that have ended.
  std::uint64_t ranges() const { return ranges_; }
  double seconds() const { return seconds_; }
  std::uint64_t held() const;
  std::uint64_t in_flight() const;
  std::uint64_t lost() const;
  bool whole() const { return sum(&Page::whole) > 0; }  // of one of its processes
  Progress progress() const { return {sum(&Page::launches), sum(&Page::busy_ns), sum(&Page::device_ns)}; }
  // Of the launches that ended in the last 5 to 10 seconds; all, before there have been so many. Called often enough by
  // look_at_latencies().
  LatencyCounts recent_latencies() const;
  void look_at_latencies(std::uint64_t now_ns);

 private:
  static constexpr std::size_t most_moments = 4096;
  static constexpr std::uint64_t window_ns = 5'000'000'000;
  void remember(Moment moment);
  LatencyCounts latencies() const;
  std::uint64_t sum(std::atomic<std::uint64_t> Page::* word) const;

  const std::uint64_t id_;
  sched::TenantSettings settings_;
  std::vector<std::unique_ptr<Member>> members_;
  Grant grant_;
  bool granted_ = false;
  std::deque<Moment> moments_;
  std::uint64_t ranges_ = 0;
  double seconds_ = 0;
  LatencyCounts ended_latencies_ = {};  // of processes that have ended
  LatencyCounts older_ = {}, newer_ = {};
  std::uint64_t looked_ns_ = 0;
};

}  // namespace heddle::daemon
