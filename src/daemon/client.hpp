// A tenant's side of the daemon: its state goes there, its grant comes from there. Without a daemon there are no
// grants, and the tenant does as if it were alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "daemon/feedback.hpp"
#include "daemon/messages.hpp"
#include "daemon/page.hpp"
#include "daemon/protocol.hpp"
#include "daemon/shared_page.hpp"

namespace heddle::daemon {

// One thread at a time.
class Client {
 public:
  // The clock outlives it.
  Client(std::filesystem::path socket, sched::TenantSettings settings, const base::Clock& clock)
      : path_(std::move(socket)), settings_(std::move(settings)), clock_(clock) {}

  // Connects if there is no connection, at most once in so long. Waits for nobody: the daemon's answer is looked at in
  // the next call.
  void maintain();
  // Whether the tenant has work. The daemon is told when that changes.
  void set_awake(bool awake);
  // So many launches are not submitted, and so many ranges are in flight. A daemon that is there later learns it, too.
  void set_load(std::uint64_t held, std::uint64_t in_flight);
  // Says that the process's launches go whole, to any units, and what it has done.
  void set_progress(const Progress& progress);
  // False: the ring is full, or there is no daemon; then it is forgotten.
  bool tell(const Ended& ended);
  // Of a kernel of this name; `decided.name` is set here. What the ring has no room for is counted as lost.
  void tell(Decided decided, std::string_view name);
  // A launch has ended so long after it was made.
  void count_latency(std::uint64_t ns);
  // What the tenant may use; nothing: there is no daemon, it has not been there for a second, or no grant yet.
  std::optional<Grant> grant();
  bool connected() const { return page_.has_value(); }
  // Waits so long for the first grant of a daemon that is there. False: no daemon answered.
  bool wait_for_grant(std::uint64_t nanoseconds);

 private:
  static constexpr std::uint64_t retry_ns = 100'000'000, patience_ns = 1'000'000'000;
  void look_for_answer();
  void disconnect();
  std::optional<std::uint32_t> number_of(std::string_view name);

  const std::filesystem::path path_;
  sched::TenantSettings settings_;  // as the daemon had them last
  const base::Clock& clock_;
  Descriptor socket_;
  std::optional<SharedPage> page_;
  std::unique_ptr<RingWriter> writer_;
  std::optional<Grant> last_;
  std::map<std::string, std::uint32_t, std::less<>> names_;  // that the daemon knows
  bool awake_ = false;
  std::uint64_t held_ = 0, in_flight_ = 0;
  std::uint64_t tried_ns_ = 0;
  bool tried_ = false;
};

// What a tool asks of the daemon at a socket, and its answer. Throws io_error where there is no daemon, or where it
// does not answer in time; and what the daemon refuses as invalid_argument.
std::string ask(const std::filesystem::path& socket, const Request& request);
// Whether a daemon runs at a socket. One that was stopped, or does not answer for another reason, runs too.
bool runs_at(const std::filesystem::path& socket);

}  // namespace heddle::daemon
