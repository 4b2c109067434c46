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
#include "base/file_identity.hpp"
#include "daemon/arbiter.hpp"
#include "daemon/metrics_port.hpp"
#include "daemon/protocol.hpp"
#include "daemon/report.hpp"
#include "daemon/shared_page.hpp"
#include "daemon/socket.hpp"
#include "daemon/tenant.hpp"

namespace heddle::daemon {

struct ServerOptions {
  unsigned units = 1;                              // of the node's device
  std::string policy;                              // empty: that in `policy_file`, or lithos
  std::optional<std::uint16_t> metrics_port = {};  // of this machine alone; 0: any that is free
  // What the daemon is told holds for the next one; empty: it does not (daemon/kept_policy.hpp).
  std::filesystem::path policy_file = {};
};

// One thread. Tenants that end, hang or write garbage cost their own page and connection, nothing else.
class Server {
 public:
  // Throws io_error, as listen_at does, or where the port is taken; and what make_arbiter throws.
  Server(std::filesystem::path socket, ServerOptions options, const base::Clock& clock);
  ~Server();  // removes the socket, if it is still its own; the tenants run on without grants
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Does what there is to do: waits for it at most so many milliseconds.
  void step(int timeout_ms);
  // A tool has asked for it, or its socket is gone, so that nothing could reach it.
  bool stopped() const { return stopped_; }
  bool has_tenants() const { return !tenants_.empty(); }
  NodeStatus status() const;
  std::string_view policy() const { return policy_; }
  std::optional<std::uint16_t> metrics_port() const;

 private:
  static constexpr std::size_t most_connections = 256;
  struct Connection {
    Descriptor socket;
    TenantEntry* tenant = nullptr;  // whose process it is; null: a tool's, or not known yet
    Member* member = nullptr;
    bool closed = false;
  };

  void wait(int timeout_ms);
  void look_for_socket();
  void serve(Connection& connection);
  void answer(Connection& connection, const Request& request);
  std::string set(const sched::TenantSettings& settings);
  std::string set_policy(const std::string& name);
  std::string explain(const Request& request);
  void welcome(Connection& connection, const sched::TenantSettings& settings);
  void leave(Connection& connection);
  TenantEntry* find(std::string_view name);
  std::vector<TenantState> states() const;
  void grant_all();

  const std::filesystem::path path_, policy_file_;
  const unsigned units_;
  const base::Clock& clock_;
  Descriptor listener_;
  const base::FileIdentity socket_;  // at path_
  std::uint64_t look_again_ns_ = 0;
  std::string policy_;
  std::unique_ptr<Arbiter> arbiter_;
  std::optional<MetricsPort> metrics_;
  std::list<TenantEntry> tenants_;  // in the order in which they came
  std::list<Connection> connections_;
  std::uint64_t tenants_made_ = 0;
  bool stopped_ = false;
};

}  // namespace heddle::daemon
