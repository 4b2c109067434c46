#include "daemon/socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fail.hpp"
#include "base/own_descriptor.hpp"
#include "base/printable.hpp"
#include "base/system_limits.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {
namespace {

constexpr std::size_t most_descriptors = 4;

// Also in the process of a tenant, which may have closed standard files.
Descriptor make_socket() {
  return Descriptor(base::above_standard_files(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
}

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.size() >= sizeof address.sun_path)
    base::fail(ErrorCode::io_error, "the path {} is too long for a socket; at most {} bytes", text,
               sizeof address.sun_path - 1);
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

void make_own_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    base::fail(ErrorCode::io_error, "the folder {} cannot be made: {}", folder.string(), base::system_message(errno));
  struct stat status{};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::getuid() ||
      (status.st_mode & 077) != 0)
    base::fail(ErrorCode::io_error, "{} must be a folder of this user that nobody else may enter (mode 700)",
               folder.string());
}

namespace {

// The user whose process is at the other end.
std::optional<uid_t> user_of(const Descriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

bool is_own(const Descriptor& socket) { return user_of(socket) == ::getuid(); }

std::string name_of(uid_t user) {
  return user == ::getuid() ? "this user" : fmt::format("the user with number {}", user);
}

// The socket, or the first folder above it that can be looked at, decides that this user may not open it.
std::string refused(const std::filesystem::path& path, int error) {
  std::string text = fmt::format("whether a daemon runs at {} cannot be seen: {}", base::printable(path.string()),
                                 base::system_message(error));
  for (std::filesystem::path at = path; at.has_relative_path(); at = at.parent_path()) {
    struct stat status{};
    if (::lstat(at.c_str(), &status) != 0) continue;
    return text + fmt::format("; {} belongs to {}, and has mode {:o}", base::printable(at.string()),
                              name_of(status.st_uid), status.st_mode & 07777);
  }
  return text;
}

}  // namespace

std::optional<Descriptor> connect_to(const std::filesystem::path& path, std::string* hindrance) {
  Descriptor socket = make_socket();
  if (!socket) base::fail(ErrorCode::io_error, "the process can have no socket: {}", base::system_message(errno));
  const sockaddr_un address = address_of(path);
  const auto refuse = [&](const auto& why) {
    if (hindrance != nullptr) *hindrance = why();
    return std::nullopt;
  };
  if (hindrance != nullptr) hindrance->clear();
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    if (error == EACCES || error == EPERM) return refuse([&] { return refused(path, error); });
    return std::nullopt;
  }
  if (is_own(socket)) return socket;
  return refuse([&] {
    const auto user = user_of(socket);
    return fmt::format("the daemon at {} belongs to {}, and serves the programs of that user alone",
                       base::printable(path.string()), user ? name_of(*user) : "another user");
  });
}

Descriptor bind_at(const std::filesystem::path& path) {
  Descriptor socket = make_socket();
  const sockaddr_un address = address_of(path);
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(socket.get(), 64) != 0)
    base::fail(ErrorCode::io_error, "there can be no socket at {}: {}", path.string(), base::system_message(errno));
  return socket;
}

std::optional<Descriptor> accept_own(const Descriptor& listener) {
  Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket || !is_own(socket)) return std::nullopt;
  return socket;
}

bool send_packet(const Descriptor& socket, std::span<const std::byte> bytes, std::span<const int> descriptors) {
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * most_descriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

Received receive_packet(const Descriptor& socket, Packet& packet) {
  packet.bytes.resize(longest_packet);
  packet.descriptors.clear();
  iovec part{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * most_descriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  for (cmsghdr* header = size < 0 ? nullptr : CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + at, sizeof fd);
      packet.descriptors.emplace_back(base::above_standard_files(fd));
    }
  }
  if (size < 0) return errno == EAGAIN || errno == EINTR ? Received::nothing : Received::closed;
  if (size == 0 || (message.msg_flags & MSG_TRUNC) != 0) return Received::closed;
  packet.bytes.resize(static_cast<std::size_t>(size));
  return Received::packet;
}

}  // namespace heddle::daemon
