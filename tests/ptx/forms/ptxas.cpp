#include "ptx/forms/ptxas.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include <sys/wait.h>
#include <unistd.h>

namespace heddle::ptx {
namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

struct Output {
  std::string text;
  bool crashed = false;
};

Output run(const std::string& command) {
  Output output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {"", true};
  std::array<char, 4096> buffer;
  while (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) output.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  // The shell reports a signal of its child as 128 + number; ptxas itself ends with 255 when it refuses something.
  output.crashed = WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) > 128 && WEXITSTATUS(status) < 160);
  return output;
}

// One run: verdicts by line, and the line that made ptxas stop, if one did.
std::optional<std::size_t> ask_once(const std::string& ptxas, const PtxasTarget& target, const std::string& prologue,
                                    const std::vector<std::string>& lines, const fs::path& file,
                                    PtxasVerdict& verdict) {
  {
    std::ofstream out(file);
    out << prologue;
    for (const std::string& line : lines) out << line << '\n';
    // An instruction that does not exist keeps ptxas from generating code.
    out << "no_such_instruction;\nret;\n}\n";
  }
  const Output output = run(ptxas + " -arch " + target.target + " " + file.string() + " -o /dev/null");
  verdict.crashed |= output.crashed;
  const std::size_t first = static_cast<std::size_t>(std::count(prologue.begin(), prologue.end(), '\n')) + 1;
  static const std::regex message(R"(, line (\d+); (error|fatal)\s*: (.*))");
  std::optional<std::size_t> stopped;
  for (std::sregex_iterator i(output.text.begin(), output.text.end(), message), end; i != end; ++i) {
    const std::size_t line = std::stoul((*i)[1].str());
    if (line < first || line - first >= lines.size()) continue;
    verdict.refused.emplace(line - first, (*i)[3].str());
    if ((*i)[2] == "fatal") stopped = line - first;
  }
  return stopped;
}

}  // namespace

std::optional<std::string> find_ptxas() {
  if (const char* path = std::getenv("HEDDLE_PTXAS"))
    return is_program(path) ? std::optional<std::string>(path) : std::nullopt;
  std::string list = std::getenv("PATH") ? std::getenv("PATH") : "";
  list += ":/usr/local/cuda/bin:/opt/cuda/bin";
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    const std::string path = list.substr(at, end - at) + "/ptxas";
    if (end > at && is_program(path)) return path;
    at = end + 1;
  }
  return std::nullopt;
}

PtxasVerdict ask_ptxas(const std::string& ptxas, const PtxasTarget& target, const std::string& prologue,
                       std::vector<std::string> lines) {
  const fs::path file = fs::temp_directory_path() / ("heddle_forms_" + std::to_string(getpid()) + ".ptx");
  PtxasVerdict verdict;
  while (const std::optional<std::size_t> stopped = ask_once(ptxas, target, prologue, lines, file, verdict)) {
    lines[*stopped].clear();
    if (verdict.crashed) break;
  }
  fs::remove(file);
  return verdict;
}

}  // namespace heddle::ptx
