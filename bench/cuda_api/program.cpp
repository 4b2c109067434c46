#include "cuda_api/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "support/folders.hpp"

extern char** environ;

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;

std::uint64_t now() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(at.tv_nsec);
}

// $HEDDLE_PROGRAM, else that of an archive of script/bundle, else of the build.
fs::path heddle_program() {
  if (const char* chosen = std::getenv("HEDDLE_PROGRAM"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  const fs::path bundled = fs::read_symlink("/proc/self/exe", error).parent_path() / "../../bin/heddle";
  return fs::exists(bundled, error) ? bundled.lexically_normal() : fs::path(HEDDLE_BUILT_PROGRAM);
}

std::string with_path(const std::string& folder) {
  const char* present = std::getenv("LD_LIBRARY_PATH");
  return "LD_LIBRARY_PATH=" + folder + (present != nullptr && *present != '\0' ? ":" + std::string(present) : "");
}

// Which libcudart the program asks for, as far as one of the names stands in it.
std::string library_of(const fs::path& program) {
  const std::string bytes = base::read_file(program);
  for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"})
    if (bytes.find(std::string(name) + '\0') != bytes.npos) return name;
  base::fail(ErrorCode::invalid_argument, "{} does not use the shared libcudart (nvcc -cudart shared)",
             program.string());
}

fs::path build(const ProgramOptions& options, const std::string& name, const fs::path& folder) {
  const fs::path source = source_root() / "bench" / "cuda_api" / "programs" / (name + ".cu"), made = folder / name;
  Way compiler{"", {options.heddle.string(), "cc"}, ""};
  // Code for the GPUs at hand and PTX for Heddle, as programs are built that are handed on.
  if (!options.nvcc.empty())
    compiler.words = {options.nvcc.string(),
                      "-cudart",
                      "shared",
                      "-gencode",
                      "arch=compute_80,code=compute_80",
                      "-gencode",
                      "arch=compute_80,code=sm_80",
                      "-gencode",
                      "arch=compute_90,code=sm_90"};
  for (const std::string& word : {std::string("-O2"), source.string(), std::string("-o"), made.string()})
    compiler.words.push_back(word);
  if (!run(compiler)) base::fail(ErrorCode::invalid_argument, "{} cannot be built", source.string());
  return made;
}

}  // namespace

void add_options(CLI::App& app, ProgramOptions& options, int rounds) {
  options.rounds = rounds;
  app.add_option("--device", options.device, "as of heddle run: cpu, cuda:0 (default: what is found)");
  app.add_option("--bare", options.bare, "also measures on NVIDIA's own libcudart, which lies in this folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("--nvcc", options.nvcc, "builds the program with this compiler of NVIDIA's (default: heddle cc)")
      ->check(CLI::ExistingFile);
  app.add_option("--program", options.program, "a program that is built already")->check(CLI::ExistingFile);
  app.add_option("--heddle", options.heddle, "the program heddle")->check(CLI::ExistingFile);
  app.add_option("--rounds", options.rounds, "runs of each")->check(CLI::Range(1, 10000));
}

std::vector<Way> ways_of(const ProgramOptions& given, const std::string& name, const fs::path& folder) {
  ProgramOptions options = given;
  if (options.heddle.empty()) options.heddle = heddle_program();
  const fs::path program = options.program.empty() ? build(options, name, folder) : fs::absolute(options.program);
  Way heddle{"through Heddle", {options.heddle.string(), "run"}, ""};
  if (!options.device.empty()) heddle.words.insert(heddle.words.end(), {"--device", options.device});
  heddle.words.push_back(program.string());
  std::vector<Way> ways{heddle};
  if (options.bare.empty()) return ways;
  const std::string library = library_of(program);
  if (!fs::exists(options.bare / library))
    base::fail(ErrorCode::not_found,
               "{} has no {}, which the program asks for; --nvcc builds it with the compiler of that toolkit",
               options.bare.string(), library);
  ways.push_back({"bare", {program.string()}, fs::absolute(options.bare).string()});
  return ways;
}

std::optional<Run> run(const Way& way) {
  std::vector<char*> arguments, variables;
  for (const std::string& word : way.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::string path = with_path(way.library_path);
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (way.library_path.empty() || std::strncmp(*entry, "LD_LIBRARY_PATH=", 16) != 0) variables.push_back(*entry);
  if (!way.library_path.empty()) variables.push_back(path.data());
  variables.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  Run made;
  pid_t child = 0;
  made.begin = now();
  const int failed = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::array<char, 4096> part;
  for (ssize_t got = 0; failed == 0 && (got = ::read(ends[0], part.data(), part.size())) > 0;)
    made.output.append(part.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  if (failed != 0) base::fail(ErrorCode::not_found, "{} cannot be started: {}", way.words[0], std::strerror(failed));
  int status = 0;
  ::waitpid(child, &status, 0);
  made.end = now();
  if (WIFSIGNALED(status)) std::fprintf(stderr, "%s: signal %d\n", way.name.c_str(), WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(made) : std::nullopt;
}

}  // namespace heddle::bench
