#include "compile/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/child_process.hpp"
#include "base/spawn_attributes.hpp"
#include "base/system_limits.hpp"
#include "heddle/error.hpp"

namespace heddle::compile {
namespace {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(error == ENOMEM ? ErrorCode::out_of_memory : ErrorCode::io_error,
              what + ": " + base::system_message(error) + (error == EAGAIN ? base::thread_limit_note() : "") + ".");
}

struct Channel {
  FileDescriptor ours, theirs;
};

Channel make_pipe(bool child_writes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("Cannot make a pipe to the compiler", errno);
  FileDescriptor read_end(ends[0]), write_end(ends[1]);
  return child_writes ? Channel{std::move(read_end), std::move(write_end)}
                      : Channel{std::move(write_end), std::move(read_end)};
}

// The child's standard input is a socket, not a pipe: sending with MSG_NOSIGNAL then cannot raise SIGPIPE in our
// process when the child stops reading early.
Channel make_input() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail("Cannot make a channel to the compiler", errno);
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void dup(const FileDescriptor& from, int to) { posix_spawn_file_actions_adddup2(&actions_, from.get(), to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

pid_t spawn(const std::vector<std::string>& command, const FileActions& actions,
            const std::vector<std::string>& environment) {
  const std::vector<char*> arguments = pointers(command), variables = pointers(environment);
  const base::SpawnAttributes attributes;
  pid_t pid = 0;
  if (int error =
          ::posix_spawn(&pid, arguments[0], actions.get(), attributes.get(), arguments.data(), variables.data())) {
    fail("Cannot start " + command.front(), error);
  }
  return pid;
}

// Sends what fits; closes the channel at the end of the input or when the child has closed its side.
void feed(FileDescriptor& to, std::string_view& input) {
  if (!input.empty()) {
    ssize_t sent = ::send(to.get(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      input.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      input = {};
    }
  }
  if (input.empty()) to.close();
}

void drain(FileDescriptor& from, std::string& text) {
  std::array<char, 16384> buffer;  // on a stack that may be small
  ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    from.close();
  }
}

void exchange(FileDescriptor& in, FileDescriptor& out, FileDescriptor& err, std::string_view input,
              ProcessResult& result) {
  while (in.open() || out.open() || err.open()) {
    std::array<pollfd, 3> fds{{{in.get(), POLLOUT, 0}, {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      fail("Cannot wait for the compiler", errno);
    }
    if (in.open() && fds[0].revents) feed(in, input);
    if (out.open() && fds[1].revents) drain(out, result.out);
    if (err.open() && fds[2].revents) drain(err, result.err);
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          const std::vector<std::string>& environment) {
  Channel in = make_input(), out = make_pipe(true), err = make_pipe(true);
  FileActions actions;
  actions.dup(in.theirs, STDIN_FILENO);
  actions.dup(out.theirs, STDOUT_FILENO);
  actions.dup(err.theirs, STDERR_FILENO);
  base::ChildProcess child([&] { return spawn(command, actions, environment); });
  for (Channel* channel : {&in, &out, &err}) channel->theirs.close();
  ProcessResult result;
  exchange(in.ours, out.ours, err.ours, input, result);
  result.exit_status = child.wait();
  return result;
}

}  // namespace heddle::compile
