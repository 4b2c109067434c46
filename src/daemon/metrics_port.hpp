// A port of this machine at which the daemon's figures are read: HTTP, GET /metrics.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "daemon/socket.hpp"

namespace heddle::daemon {

// One thread. Never waits. Whoever can log in to the machine can read the figures; nobody can change anything.
class MetricsPort {
 public:
  // 0: any port that is free. Throws io_error where it is taken.
  explicit MetricsPort(std::uint16_t port);
  std::uint16_t port() const { return port_; }

  void add(std::vector<pollfd>& all) const;
  // Accepts, reads and answers. `text` is called once for each request that is complete.
  void serve(std::uint64_t now_ns, const std::function<std::string()>& text);

 private:
  static constexpr std::size_t most_connections = 16, longest_request = 8192;
  static constexpr std::uint64_t patience_ns = 2'000'000'000;
  struct Connection {
    Descriptor socket;
    std::uint64_t since_ns;
    std::string request = {}, answer = {};
    std::size_t sent = 0;
    bool closed = false;
  };
  static void read(Connection& connection, const std::function<std::string()>& text);
  static void write(Connection& connection);

  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::list<Connection> connections_;
};

}  // namespace heddle::daemon
