#include "peer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace heddle::bench {
namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("a pipe: {}", std::strerror(errno)));
    read = ends[0];
    write = ends[1];
  }
};

}  // namespace

Peer::Peer(const std::filesystem::path& program) : name_(program.string()) {
  const Pipe questions, answers;
  questions_.reset(::fdopen(questions.write, "w"));
  answers_.reset(::fdopen(answers.read, "r"));
  int error = 0;
  process_ = std::make_unique<base::ChildProcess>([&] {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, questions.read, 0);
    posix_spawn_file_actions_adddup2(&actions, answers.write, 1);
    std::string path = name_;
    char* const arguments[] = {path.data(), nullptr};
    pid_t child = 0;
    error = posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : pid_t{0};
  });
  ::close(questions.read);
  ::close(answers.write);
  if (error != 0) throw std::runtime_error(fmt::format("{} cannot be run: {}", name_, std::strerror(error)));
  std::signal(SIGPIPE, SIG_IGN);  // a peer that has ended is an error with a sentence
}

Peer::~Peer() {
  questions_.reset();
  if (process_->started()) process_->wait();
}

Took Peer::run(unsigned form, unsigned shape) {
  char answer[256];
  if (std::fprintf(questions_.get(), "%u %u\n", form, shape) < 0 || std::fflush(questions_.get()) != 0 ||
      std::fgets(answer, sizeof answer, answers_.get()) == nullptr)
    throw std::runtime_error(fmt::format("{} has ended before it answered", name_));
  Took took;
  char more = 0;
  if (std::sscanf(answer, "%lf %lf %c", &took.host, &took.completed, &more) != 2)
    throw std::runtime_error(fmt::format("{} answered '{}': two numbers of seconds were expected", name_,
                                         std::string(answer, std::strcspn(answer, "\n"))));
  return took;
}

}  // namespace heddle::bench
