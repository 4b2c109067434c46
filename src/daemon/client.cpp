#include "daemon/client.hpp"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "base/log.hpp"
#include "daemon/pause.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {

// The next daemon hears of what was set meanwhile.
void Client::disconnect() {
  if (page_ && (*page_)->settings.load(std::memory_order_acquire) != 0) {
    const double quota = std::bit_cast<double>((*page_)->quota_bits.load(std::memory_order_relaxed));
    if (quota >= 0 && quota <= 1) settings_.quota = quota;
    const bool latency = (*page_)->tenant_class.load(std::memory_order_relaxed) == 0;
    settings_.kind = latency ? sched::TenantClass::latency : sched::TenantClass::batch;
  }
  names_.clear();
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
  std::optional<Descriptor> socket;
  try {
    std::string hindrance;
    socket = connect_to(path_, &hindrance);
    if (!hindrance.empty()) base::log_warn_once(hindrance + "; the program runs as if it were alone");
  } catch (const Error& error) {  // no descriptor is left; later there may be one
    base::log_warn_once(fmt::format("the daemon at {} cannot be asked: {}", path_.string(), error.what()));
  }
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
  set_load(held_, in_flight_);
}

void Client::set_awake(bool awake) {
  if (awake == awake_) return;
  awake_ = awake;
  if (!page_) return;
  (*page_)->awake.store(awake ? 1 : 0, std::memory_order_release);
  // If its buffer is full the daemon looks anyway.
  send_packet(socket_, encode(Request{Request::Kind::look, {}}));
}

void Client::set_load(std::uint64_t held, std::uint64_t in_flight) {
  held_ = held;
  in_flight_ = in_flight;
  if (!page_) return;
  (*page_)->held.store(held, std::memory_order_relaxed);
  (*page_)->in_flight.store(in_flight, std::memory_order_relaxed);
}

void Client::set_progress(const Progress& progress) {
  if (!page_) return;
  (*page_)->launches.store(progress.launches, std::memory_order_relaxed);
  (*page_)->busy_ns.store(progress.busy_ns, std::memory_order_relaxed);
  (*page_)->device_ns.store(progress.device_ns, std::memory_order_relaxed);
  (*page_)->whole.store(1, std::memory_order_release);
}

bool Client::tell(const Ended& ended) { return writer_ && writer_->push(encode(ended)); }

// Nothing: the ring has no room for a name that is new.
std::optional<std::uint32_t> Client::number_of(std::string_view name) {
  if (const auto known = names_.find(name); known != names_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(std::min<std::size_t>(names_.size(), most_names - 1));
  const bool others = number == most_names - 1;
  // A mangled name that is cut off would tell nobody anything.
  const std::string text = others ? "another kernel" : base::source_name(std::string(name));
  if (!writer_->push(encode_name(number, text))) return std::nullopt;
  if (!others) names_.emplace(name, number);
  return number;
}

void Client::tell(Decided decided, std::string_view name) {
  if (!page_) return;
  const auto number = number_of(name);
  decided.name = number.value_or(0);
  if (!number || !writer_->push(encode(decided))) (*page_)->lost.fetch_add(1, std::memory_order_relaxed);
}

void Client::count_latency(std::uint64_t ns) {
  if (page_) (*page_)->latencies[latency_bucket(ns)].fetch_add(1, std::memory_order_relaxed);
}

bool Client::wait_for_grant(std::uint64_t nanoseconds) {
  constexpr std::uint64_t step_ns = 200'000;
  const std::uint64_t end = clock_.now_ns() + nanoseconds;
  for (;;) {
    maintain();
    if (grant()) return true;
    const std::uint64_t now = clock_.now_ns();
    if (!socket_ || now >= end) return false;
    pause(clock_, std::min(end - now, step_ns));
  }
}

std::optional<Grant> Client::grant() {
  if (!page_) return std::nullopt;
  const std::uint64_t now = clock_.now_ns(), beat = (*page_)->beat_ns.load(std::memory_order_acquire);
  if (beat == 0 || (now > beat && now - beat > patience_ns)) return std::nullopt;
  if (const auto grant = read_grant(**page_)) last_ = grant;
  return last_;
}

namespace {

constexpr int answer_ms = 10'000;  // on a busy machine too

Received exchange(const Descriptor& connection, const Request& request, int wait_ms, Packet& answer) {
  if (!send_packet(connection, encode(request))) return Received::closed;
  pollfd ready{connection.get(), POLLIN, 0};
  ::poll(&ready, 1, wait_ms);
  return receive_packet(connection, answer);
}

}  // namespace

std::string ask(const std::filesystem::path& socket, const Request& request) {
  std::string hindrance;
  const auto connection = connect_to(socket, &hindrance);
  if (!connection && !hindrance.empty())
    base::fail(ErrorCode::io_error, "{}; HEDDLE_DAEMON names the socket of one elsewhere", hindrance);
  if (!connection)
    base::fail(
        ErrorCode::io_error,
        "no daemon runs at {}; heddle daemon start starts one, and HEDDLE_DAEMON names the socket of one elsewhere",
        socket.string());
  Packet packet;
  if (exchange(*connection, request, answer_ms, packet) == Received::packet) {
    const std::string_view text(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size());
    if (text.starts_with(refusal)) throw Error(ErrorCode::invalid_argument, std::string(text.substr(refusal.size())));
    return std::string(text);
  }
  base::fail(ErrorCode::io_error, "the daemon at {} does not answer", socket.string());
}

// A daemon that was killed accepts connections until the system has closed its files, and never answers.
bool runs_at(const std::filesystem::path& socket) {
  constexpr std::uint64_t patience_ns = 5'000'000'000, step_ns = 2'000'000;
  const base::SteadyClock clock;
  const std::uint64_t end = clock.now_ns() + patience_ns;
  Packet packet;
  while (const auto connection = connect_to(socket)) {
    if (exchange(*connection, {}, patience_ns / 1'000'000, packet) != Received::closed) return true;
    if (clock.now_ns() >= end) return true;  // one that does not understand the question, such as an older one
    pause(clock, step_ns);
  }
  return false;
}

}  // namespace heddle::daemon
