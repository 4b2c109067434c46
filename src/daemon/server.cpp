#include "daemon/server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "daemon/kept_policy.hpp"
#include "daemon/listener.hpp"
#include "daemon/policies.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {

Server::Server(std::filesystem::path socket, ServerOptions options, const base::Clock& clock)
    : path_(std::move(socket)),
      policy_file_(options.policy_file),
      units_(options.units),
      clock_(clock),
      listener_(listen_at(path_)),
      socket_(base::file_identity(path_)) {
  // What an earlier daemon was told holds on, unless nobody knows that policy any more.
  policy_ = options.policy.empty() ? kept_policy(policy_file_) : options.policy;
  if (policy_.empty()) policy_ = default_policy;
  try {
    arbiter_ = make_arbiter(policy_);
  } catch (const Error& error) {
    if (!options.policy.empty()) throw;
    base::log_warn("{}: {}; lithos is taken", policy_file_.string(), error.what());
    arbiter_ = make_arbiter(policy_ = default_policy);
  }
  if (!options.policy.empty()) keep_policy(policy_file_, policy_);
  if (options.metrics_port) metrics_.emplace(*options.metrics_port);
}

Server::~Server() {
  if (base::file_identity(path_) == socket_) ::unlink(path_.c_str());
}

std::optional<std::uint16_t> Server::metrics_port() const {
  return metrics_ ? std::optional(metrics_->port()) : std::nullopt;
}

// Until a packet has come, somebody connects, or the policy wants to be asked.
void Server::wait(int timeout_ms) {
  std::vector<pollfd> all = {{listener_.get(), POLLIN, 0}};
  for (const Connection& connection : connections_) all.push_back({connection.socket.get(), POLLIN, 0});
  if (metrics_) metrics_->add(all);
  if (const auto wake = arbiter_->wake_ns()) {
    const std::uint64_t now = clock_.now_ns();
    const auto left = static_cast<int>(*wake > now ? std::min<std::uint64_t>((*wake - now) / 1'000'000 + 1, 1000) : 0);
    timeout_ms = std::min(timeout_ms, left);
  }
  ::poll(all.data(), all.size(), timeout_ms);
}

// Another daemon may have begun at the path since.
void Server::look_for_socket() {
  constexpr std::uint64_t pause_ns = 1'000'000'000;
  if (clock_.now_ns() < look_again_ns_) return;
  look_again_ns_ = clock_.now_ns() + pause_ns;
  if (base::file_identity(path_) == socket_) return;
  base::log_warn("the socket {} was removed or replaced: nothing can reach this daemon, which ends", path_.string());
  stopped_ = true;
}

void Server::step(int timeout_ms) {
  wait(timeout_ms);
  look_for_socket();
  while (connections_.size() < most_connections) {
    auto socket = accept_own(listener_);
    if (!socket) break;
    connections_.emplace_back().socket = std::move(*socket);
  }
  for (Connection& connection : connections_) {
    serve(connection);
    if (connection.closed) leave(connection);
  }
  connections_.remove_if([](const Connection& connection) { return connection.closed; });
  tenants_.remove_if([](const TenantEntry& tenant) { return tenant.members().empty(); });
  for (TenantEntry& tenant : tenants_) {
    tenant.read();
    tenant.look_at_latencies(clock_.now_ns());
  }
  grant_all();
  if (metrics_) metrics_->serve(clock_.now_ns(), [this] { return prometheus(status()); });
}

// A few packets of each at a time, so that none keeps the others waiting.
void Server::serve(Connection& connection) {
  Packet packet;
  for (int i = 0; i < 16 && !connection.closed; ++i) {
    const Received received = receive_packet(connection.socket, packet);
    if (received == Received::nothing) break;
    const auto request = received == Received::packet ? decode_request(packet.bytes) : std::nullopt;
    if (request)
      answer(connection, *request);
    else
      connection.closed = true;
  }
}

void Server::answer(Connection& connection, const Request& request) {
  const auto say = [&](const std::string& text) {
    if (!send_packet(connection.socket, std::as_bytes(std::span(text.data(), text.size())))) connection.closed = true;
  };
  switch (request.kind) {
    case Request::Kind::hello: return welcome(connection, request.settings);
    case Request::Kind::status: return say(json(status()));
    case Request::Kind::stop: stopped_ = true; return say("stopped");
    case Request::Kind::look: return;
    case Request::Kind::set: return say(set(request.settings));
    case Request::Kind::policy: return say(set_policy(request.settings.name));
    case Request::Kind::explain: return say(explain(request));
  }
}

TenantEntry* Server::find(std::string_view name) {
  for (TenantEntry& tenant : tenants_)
    if (tenant.settings().name == name) return &tenant;
  return nullptr;
}

std::string Server::set(const sched::TenantSettings& settings) {
  TenantEntry* const tenant = find(settings.name);
  if (tenant == nullptr) return fmt::format("{}there is no tenant '{}'", refusal, settings.name);
  tenant->set(settings);
  return "set";
}

std::string Server::set_policy(const std::string& name) {
  try {
    arbiter_ = make_arbiter(name);
    policy_ = name;
    keep_policy(policy_file_, policy_);
  } catch (const Error& error) {
    return std::string(refusal) + error.what();
  }
  return "set";
}

// With what its processes have told until now.
std::string Server::explain(const Request& request) {
  constexpr std::size_t most_bytes = longest_packet - 1024;
  TenantEntry* const tenant = find(request.settings.name);
  if (tenant == nullptr) return fmt::format("{}there is no tenant '{}'", refusal, request.settings.name);
  tenant->read();
  return explanation(*tenant, clock_.now_ns(), request.window_ns, most_bytes);
}

// A process of a tenant that is there already joins it, and has its settings.
void Server::welcome(Connection& connection, const sched::TenantSettings& settings) {
  if (connection.member) {
    connection.closed = true;
    return;
  }
  try {
    SharedPage page = SharedPage::create();
    TenantEntry* tenant = find(settings.name);
    if (tenant == nullptr) tenant = &tenants_.emplace_back(++tenants_made_, settings);
    connection.member = &tenant->add(std::move(page));
    connection.tenant = tenant;
  } catch (const Error& error) {
    base::log_warn("a process of tenant '{}' is refused: {}", settings.name, error.what());
    connection.closed = true;
    return;
  }
  const std::string text = "welcome";
  const std::array<int, 1> descriptors = {connection.member->descriptor()};
  if (!send_packet(connection.socket, std::as_bytes(std::span(text.data(), text.size())), descriptors))
    connection.closed = true;
}

void Server::leave(Connection& connection) {
  if (connection.member == nullptr) return;
  connection.tenant->read();
  connection.tenant->remove(*connection.member);
  connection.member = nullptr;
  connection.tenant = nullptr;
}

std::vector<TenantState> Server::states() const {
  std::vector<TenantState> states;
  for (const TenantEntry& tenant : tenants_)
    states.push_back({tenant.settings(), tenant.awake(), tenant.id(), tenant.whole(), tenant.progress()});
  return states;
}

void Server::grant_all() {
  const std::vector<TenantState> all = states();
  const std::uint64_t now = clock_.now_ns();
  const std::vector<Grant> grants = arbiter_->decide(all, units_, now);
  std::size_t i = 0;
  for (TenantEntry& tenant : tenants_) {
    if (tenant.write(grants[i], now)) tenant.note(now, why(*arbiter_, all, grants, i));
    ++i;
  }
}

NodeStatus Server::status() const {
  const std::vector<TenantState> all = states();
  std::vector<Grant> grants;
  for (const TenantEntry& tenant : tenants_) grants.push_back(tenant.grant());
  NodeStatus node{units_, policy_, {}};
  std::size_t i = 0;
  for (const TenantEntry& tenant : tenants_) {
    node.tenants.push_back(status_of(tenant, why(*arbiter_, all, grants, i)));
    ++i;
  }
  return node;
}

}  // namespace heddle::daemon
