#include "daemon/server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {

Server::Server(std::filesystem::path socket, unsigned units, const base::Clock& clock)
    : path_(std::move(socket)), units_(units), clock_(clock), listener_(listen_at(path_)) {}

Server::~Server() { ::unlink(path_.c_str()); }

// Until a packet has come, or somebody connects.
void Server::wait(int timeout_ms) {
  std::vector<pollfd> all = {{listener_.get(), POLLIN, 0}};
  for (const Connection& connection : connections_) all.push_back({connection.socket.get(), POLLIN, 0});
  ::poll(all.data(), all.size(), timeout_ms);
}

void Server::step(int timeout_ms) {
  wait(timeout_ms);
  while (connections_.size() < most_connections) {
    auto socket = accept_own(listener_);
    if (!socket) break;
    connections_.emplace_back().socket = std::move(*socket);
  }
  for (Connection& connection : connections_) serve(connection);
  connections_.remove_if([](const Connection& connection) { return connection.closed; });
  grant_all();
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
  if (connection.page) read_events(connection);
}

void Server::answer(Connection& connection, const Request& request) {
  const auto say = [&](const std::string& text) {
    if (!send_packet(connection.socket, std::as_bytes(std::span(text.data(), text.size())))) connection.closed = true;
  };
  switch (request.kind) {
    case Request::Kind::hello: return welcome(connection, request.settings);
    case Request::Kind::status: return say(json());
    case Request::Kind::stop: stopped_ = true; return say("stopped");
    case Request::Kind::look: return;
    case Request::Kind::set: break;
  }
  bool found = false;
  for (Connection& other : connections_) {
    if (!other.page || other.settings.name != request.settings.name) continue;
    other.settings = request.settings;
    found = true;
  }
  say(found ? "set" : "there is no tenant '" + request.settings.name + "'");
}

void Server::welcome(Connection& connection, const sched::TenantSettings& settings) {
  if (connection.page) {
    connection.closed = true;
    return;
  }
  try {
    connection.page = SharedPage::create();
  } catch (const Error& error) {
    base::log_warn("tenant '{}' is refused: {}", settings.name, error.what());
    connection.closed = true;
    return;
  }
  connection.settings = settings;
  connection.reader = std::make_unique<RingReader>((*connection.page)->events);
  const std::string text = "welcome";
  const std::array<int, 1> descriptors = {connection.page->descriptor()};
  if (!send_packet(connection.socket, std::as_bytes(std::span(text.data(), text.size())), descriptors))
    connection.closed = true;
}

void Server::read_events(Connection& connection) {
  for (std::uint64_t i = 0; i < ring_capacity; ++i) {
    const auto message = connection.reader->pop();
    if (!message) return;
    const auto ended = decode(*message);
    if (!ended) continue;
    connection.ranges += ended->ranges;
    connection.seconds += ended->seconds;
  }
}

void Server::grant_all() {
  std::vector<Connection*> tenants;
  std::vector<TenantState> states;
  for (Connection& connection : connections_) {
    if (!connection.page) continue;
    tenants.push_back(&connection);
    const bool awake = (*connection.page)->awake.load(std::memory_order_acquire) != 0;
    states.push_back({connection.settings, awake});
  }
  const std::vector<Grant> grants = arbitrate(states, units_);
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    Connection& tenant = *tenants[i];
    // Also where the tenant has written over it.
    if (!tenant.granted || tenant.grant != grants[i] || read_grant(**tenant.page) != grants[i])
      write_grant(**tenant.page, grants[i]);
    tenant.grant = grants[i];
    tenant.granted = true;
    (*tenant.page)->beat_ns.store(clock_.now_ns(), std::memory_order_release);
  }
}

std::vector<Server::Status> Server::status() const {
  std::vector<Status> all;
  for (const Connection& connection : connections_) {
    if (!connection.page) continue;
    all.push_back({connection.settings, (*connection.page)->awake.load(std::memory_order_relaxed) != 0,
                   connection.reader->broken(), connection.grant.units.count(), connection.ranges, connection.seconds});
  }
  return all;
}

// Names have no characters that JSON would escape (protocol.hpp).
std::string Server::json() const {
  std::string text = fmt::format("{{\"units\": {}, \"tenants\": [", units_);
  bool first = true;
  for (const Status& tenant : status()) {
    text += fmt::format(
        "{}{{\"name\": \"{}\", \"class\": \"{}\", \"quota\": {:g}, \"awake\": {}, \"units\": {}, \"ranges\": {}, "
        "\"seconds\": {:g}, \"broken\": {}}}",
        first ? "" : ", ", tenant.settings.name,
        tenant.settings.kind == sched::TenantClass::latency ? "latency" : "batch", tenant.settings.quota, tenant.awake,
        tenant.units, tenant.ranges, tenant.seconds, tenant.broken);
    first = false;
  }
  return text + "]}";
}

}  // namespace heddle::daemon
