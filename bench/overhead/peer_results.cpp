#include "peer_results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/file.hpp"

namespace heddle::bench {

PeerFigures read_peer_figures(const std::filesystem::path& file) {
  const auto json = nlohmann::json::parse(base::read_file(file), nullptr, false);
  if (!json.is_object())
    throw std::runtime_error(fmt::format("{}: a JSON object of names and nanoseconds was expected", file.string()));
  PeerFigures figures;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number())
      throw std::runtime_error(fmt::format("{}: '{}' is no number of nanoseconds", file.string(), name));
    figures[name] = value.get<double>();
  }
  return figures;
}

PeerFigures run_peer(const std::filesystem::path& program, const std::filesystem::path& kept) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, kept.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::string path = program.string();
  char* const arguments[] = {path.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("{} cannot be run: {}", path, std::strerror(error)));
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("{} has failed", path));
  return read_peer_figures(kept);
}

}  // namespace heddle::bench
