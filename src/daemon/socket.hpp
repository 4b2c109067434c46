// Sockets of the daemon: packets between processes of one user on one machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::daemon {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

constexpr std::size_t longest_packet = 1 << 16;

// A packet, and the descriptors that came with it.
struct Packet {
  std::vector<std::byte> bytes;
  std::vector<Descriptor> descriptors;
};

// Makes the folder if it does not exist. Throws io_error: it belongs to another user, or others may enter it.
void make_own_folder(const std::filesystem::path& folder);
// A socket that accepts connections at a path where there is no file, for this user alone. Throws io_error: it cannot
// be made, or the path is too long for one.
Descriptor bind_at(const std::filesystem::path& path);
// Nothing: nobody listens there, or another user does. `hindrance`, where it is given, is then empty, or a sentence
// about another user's daemon, or about a folder or socket that this user may not open. Throws io_error if the process
// can have no socket, or the path is too long for one.
std::optional<Descriptor> connect_to(const std::filesystem::path& path, std::string* hindrance = nullptr);
// The next connection; nothing: there is none, or it is another user's, which is closed.
std::optional<Descriptor> accept_own(const Descriptor& listener);
// False: the other side has gone, or its buffer is full.
bool send_packet(const Descriptor& socket, std::span<const std::byte> bytes, std::span<const int> descriptors = {});
enum class Received { packet, nothing, closed };
// Without waiting. A packet that is longer than longest_packet counts as closed.
Received receive_packet(const Descriptor& socket, Packet& packet);

}  // namespace heddle::daemon
