#include "daemon/metrics_port.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/fail.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {
namespace {

std::string response(const char* status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: "
      "close\r\n\r\n{}",
      status, body.size(), body);
}

}  // namespace

MetricsPort::MetricsPort(std::uint16_t port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  socklen_t size = sizeof address;
  if (!listener_ || ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), 16) != 0 ||
      ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    base::fail(ErrorCode::io_error, "metrics cannot be served at port {}: {}", port, std::strerror(errno));
  port_ = ntohs(address.sin_port);
}

void MetricsPort::add(std::vector<pollfd>& all) const {
  all.push_back({listener_.get(), POLLIN, 0});
  for (const Connection& connection : connections_)
    all.push_back({connection.socket.get(), static_cast<short>(connection.answer.empty() ? POLLIN : POLLOUT), 0});
}

void MetricsPort::serve(std::uint64_t now_ns, const std::function<std::string()>& text) {
  while (connections_.size() < most_connections) {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) break;
    connections_.push_back({.socket = std::move(socket), .since_ns = now_ns});
  }
  for (Connection& connection : connections_) {
    if (connection.answer.empty()) read(connection, text);
    if (!connection.answer.empty()) write(connection);
    if (now_ns > connection.since_ns + patience_ns) connection.closed = true;
  }
  connections_.remove_if([](const Connection& connection) { return connection.closed; });
}

// Until the empty line after the headers.
void MetricsPort::read(Connection& connection, const std::function<std::string()>& text) {
  char part[2048];
  const ssize_t got = ::recv(connection.socket.get(), part, sizeof part, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    connection.closed = true;
    return;
  }
  connection.request.append(part, static_cast<std::size_t>(got));
  if (connection.request.find("\r\n\r\n") == std::string::npos) {
    if (connection.request.size() > longest_request) connection.closed = true;
    return;
  }
  const std::string_view first = std::string_view(connection.request).substr(0, connection.request.find("\r\n"));
  if (first.starts_with("GET /metrics ") || first.starts_with("GET /metrics?"))
    connection.answer = response("200 OK", text());
  else if (first.starts_with("GET "))
    connection.answer = response("404 Not Found", "the figures are at /metrics\n");
  else
    connection.answer = response("405 Method Not Allowed", "only GET is answered\n");
}

void MetricsPort::write(Connection& connection) {
  const ssize_t sent = ::send(connection.socket.get(), connection.answer.data() + connection.sent,
                              connection.answer.size() - connection.sent, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (sent > 0) connection.sent += static_cast<std::size_t>(sent);
  if (sent <= 0 || connection.sent == connection.answer.size()) connection.closed = true;
}

}  // namespace heddle::daemon
