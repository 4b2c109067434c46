// A tenant's side of the daemon: its state goes there, its grant comes from there. Without a daemon there are no
// grants, and the tenant does as if it were alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
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
  // False: the ring is full, or there is no daemon; then it is forgotten.
  bool tell(const Ended& ended);
  // What the tenant may use; nothing: there is no daemon, it has not been there for a second, or no grant yet.
  std::optional<Grant> grant();
  bool connected() const { return page_.has_value(); }

 private:
  static constexpr std::uint64_t retry_ns = 100'000'000, patience_ns = 1'000'000'000;
  void look_for_answer();
  void disconnect();

  const std::filesystem::path path_;
  const sched::TenantSettings settings_;
  const base::Clock& clock_;
  Descriptor socket_;
  std::optional<SharedPage> page_;
  std::unique_ptr<RingWriter> writer_;
  std::optional<Grant> last_;
  bool awake_ = false;
  std::uint64_t tried_ns_ = 0;
  bool tried_ = false;
};

// What a tool asks of the daemon at a socket, and its answer. Throws io_error where there is no daemon, or where it
// does not answer within a second.
std::string ask(const std::filesystem::path& socket, const Request& request);

}  // namespace heddle::daemon
