// The daemon of a node: knows its tenants, and says which units each may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "daemon/arbiter.hpp"
#include "daemon/protocol.hpp"
#include "daemon/ring.hpp"
#include "daemon/shared_page.hpp"
#include "daemon/socket.hpp"

namespace heddle::daemon {

// One thread. Tenants that end, hang or write garbage cost their own page and connection, nothing else.
class Server {
 public:
  struct Status {
    sched::TenantSettings settings;
    bool awake = false, broken = false;  // broken: its messages make no sense, and are not read any more
    std::size_t units = 0;
    std::uint64_t ranges = 0;
    double seconds = 0;
  };
  // Throws io_error, as listen_at does. `units`: of the node's device.
  Server(std::filesystem::path socket, unsigned units, const base::Clock& clock);
  ~Server();  // removes the socket; the tenants run on without grants
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Does what there is to do: waits for it at most so many milliseconds.
  void step(int timeout_ms);
  bool stopped() const { return stopped_; }
  std::vector<Status> status() const;
  std::string json() const;

 private:
  static constexpr std::size_t most_connections = 256;
  struct Connection {
    Descriptor socket;
    std::optional<SharedPage> page;  // of a tenant
    std::unique_ptr<RingReader> reader;
    sched::TenantSettings settings;
    Grant grant;
    bool granted = false, closed = false;
    std::uint64_t ranges = 0;
    double seconds = 0;
  };

  void wait(int timeout_ms);
  void serve(Connection& connection);
  void answer(Connection& connection, const Request& request);
  void welcome(Connection& connection, const sched::TenantSettings& settings);
  void read_events(Connection& connection);
  void grant_all();

  const std::filesystem::path path_;
  const unsigned units_;
  const base::Clock& clock_;
  Descriptor listener_;
  std::list<Connection> connections_;
  bool stopped_ = false;
};

}  // namespace heddle::daemon
