#include "base/source_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include "base/child_process.hpp"
#include "base/spawn_attributes.hpp"
#include "base/thread_safety.hpp"

extern "C" char** environ;

namespace heddle::base {
namespace {

constexpr std::chrono::seconds longest{10};
constexpr std::size_t most_text = 1 << 20;

struct Asked {
  Mutex mutex;
  std::map<std::pair<std::string, std::uintptr_t>, std::vector<SourceLine>> known HEDDLE_GUARDED_BY(mutex);
  std::set<std::string> silent HEDDLE_GUARDED_BY(mutex);  // files that took too long
};

// Never destroyed: reports are made while the process ends.
Asked& asked() {
  static Asked* const made = new Asked;
  return *made;
}

// The program runs with libraries in front of others; the child must not.
std::vector<char*> plain_environment() {
  std::vector<char*> list;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    if (!variable.starts_with("LD_")) list.push_back(*entry);
  }
  list.push_back(nullptr);
  return list;
}

pid_t start(const char* program, const std::string& file, const std::string& address, int output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  const std::array<const char*, 8> words{program, "-f", "-C", "-i", "-e", file.c_str(), address.c_str(), nullptr};
  const SpawnAttributes attributes;
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, program, &actions, attributes.get(), const_cast<char* const*>(words.data()),
                                   plain_environment().data());
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

// Returns false when it takes too long.
bool read_all(int from, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + longest;
  std::array<char, 4096> buffer;
  while (text.size() < most_text) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd waiting{from, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return true;
}

// Pairs of lines: "main" and "/home/me/a.cu:12 (discriminator 3)"; "??:0" and "a.cu:?" where nothing is known.
std::vector<SourceLine> parse(std::string_view text) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  std::vector<SourceLine> lines;
  while (!text.empty()) {
    const std::string_view function = next(), place = next();
    const std::size_t colon = place.rfind(':');
    if (colon == place.npos) continue;
    SourceLine found{std::string(function), std::string(place.substr(0, colon)), 0};
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), found.line);
    if (found.line != 0 && found.file != "??") lines.push_back(std::move(found));
  }
  return lines;
}

enum class Answer { given, none, too_late };

Answer ask(const char* program, const std::string& file, std::uintptr_t address, std::vector<SourceLine>& lines) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Answer::none;
  const std::string place = fmt::format("{:#x}", address);
  ChildProcess child([&] { return start(program, file, place, ends[1]); });  // ended where it is too late
  ::close(ends[1]);
  std::string text;
  bool in_time = true;
  if (child.started()) {
    in_time = read_all(ends[0], text);
    if (in_time) child.wait();
  }
  ::close(ends[0]);
  lines = parse(text);
  if (!in_time) return Answer::too_late;
  return text.empty() ? Answer::none : Answer::given;
}

std::vector<SourceLine> look_up(const std::string& file, std::uintptr_t address) {
  const Lock lock(asked().mutex);
  if (asked().silent.contains(file)) return {};
  const auto [entry, is_new] = asked().known.try_emplace({file, address});
  if (!is_new) return entry->second;
  // Takes 2 ms, LLVM's 40. But of clang's debug information it may show the innermost function alone.
  constexpr std::string_view binutils = "addr2line";
  for (const char* program : {binutils.data(), "llvm-addr2line", "llvm-addr2line-19"}) {
    std::vector<SourceLine> lines;
    const Answer answer = ask(program, file, address, lines);
    if (answer == Answer::too_late) asked().silent.insert(file);
    if (answer == Answer::none) continue;
    const bool in_library = !lines.empty() && std::ranges::all_of(lines, [](const SourceLine& line) {
      return is_library_source(line.file);
    });
    if (entry->second.empty() || !in_library) entry->second = std::move(lines);
    if (!in_library || program != binutils) break;
  }
  return entry->second;
}

// ".../headers/0123456789abcdef/...", where Heddle keeps its own.
bool is_heddle_header(std::string_view file) {
  constexpr std::string_view folder = "/headers/";
  constexpr std::size_t digits = 16;
  for (std::size_t at = file.find(folder); at != file.npos; at = file.find(folder, at + 1)) {
    const std::string_view hash = file.substr(at + folder.size(), digits + 1);
    if (hash.size() == digits + 1 && hash.back() == '/' &&
        std::all_of(hash.begin(), hash.end() - 1, [](unsigned char c) { return std::isxdigit(c) != 0; }))
      return true;
  }
  return false;
}

}  // namespace

std::vector<SourceLine> source_lines(const std::string& file, std::uintptr_t address) noexcept {
  try {
    return look_up(file, address);
  } catch (const std::exception&) {
    return {};
  }
}

bool is_library_source(std::string_view file) {
  for (const std::string_view start : {"/usr/include/", "/usr/lib", "/usr/local/include/", "/usr/local/cuda"})
    if (file.starts_with(start)) return true;
  for (const std::string_view part : {"/include/c++/", "/lib/clang/", "-linux/include/", "/site-packages/nvidia/",
                                      "/include/cuda_runtime", "/include/crt/", ".cudafe1.stub.c"})
    if (file.find(part) != file.npos) return true;
  return is_heddle_header(file);
}

}  // namespace heddle::base
