#include "daemon/client.hpp"

#include <poll.h>

#include <utility>

#include "base/fail.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {

void Client::disconnect() {
  socket_ = Descriptor();
  writer_.reset();
  page_.reset();
  last_.reset();
}

void Client::maintain() {
  if (socket_) return look_for_answer();
  const std::uint64_t now = clock_.now_ns();
  if (tried_ && now < tried_ns_ + retry_ns) return;
  tried_ = true;
  tried_ns_ = now;
  auto socket = connect_to(path_);
  if (!socket) return;
  if (!send_packet(*socket, encode(Request{Request::Kind::hello, settings_}))) return;
  socket_ = std::move(*socket);
}

void Client::look_for_answer() {
  Packet packet;
  const Received received = receive_packet(socket_, packet);
  if (received == Received::nothing) return;
  if (received == Received::closed || page_ || packet.descriptors.size() != 1) return disconnect();
  page_ = SharedPage::map(std::move(packet.descriptors[0]));
  if (!page_) return disconnect();
  writer_ = std::make_unique<RingWriter>((*page_)->events);
  const bool awake = std::exchange(awake_, false);
  set_awake(awake);
}

void Client::set_awake(bool awake) {
  if (awake == awake_) return;
  awake_ = awake;
  if (!page_) return;
  (*page_)->awake.store(awake ? 1 : 0, std::memory_order_release);
  // If its buffer is full the daemon looks anyway.
  send_packet(socket_, encode(Request{Request::Kind::look, {}}));
}

bool Client::tell(const Ended& ended) { return writer_ && writer_->push(encode(ended)); }

std::optional<Grant> Client::grant() {
  if (!page_) return std::nullopt;
  const std::uint64_t now = clock_.now_ns(), beat = (*page_)->beat_ns.load(std::memory_order_acquire);
  if (beat == 0 || (now > beat && now - beat > patience_ns)) return std::nullopt;
  if (const auto grant = read_grant(**page_)) last_ = grant;
  return last_;
}

std::string ask(const std::filesystem::path& socket, const Request& request) {
  const auto connection = connect_to(socket);
  if (!connection) base::fail(ErrorCode::io_error, "no daemon runs at {}; heddle daemon start", socket.string());
  Packet packet;
  if (send_packet(*connection, encode(request))) {
    pollfd answer{connection->get(), POLLIN, 0};
    ::poll(&answer, 1, 1000);
    if (receive_packet(*connection, packet) == Received::packet)
      return {reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size()};
  }
  base::fail(ErrorCode::io_error, "the daemon at {} does not answer", socket.string());
}

}  // namespace heddle::daemon
