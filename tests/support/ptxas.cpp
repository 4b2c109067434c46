#include "support/ptxas.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "support/temporary_folder.hpp"

namespace heddle::test {
namespace {

constexpr int least_target = 75;
constexpr int least_version = 603;  // the first that has sm_75

bool run(const std::string& command, std::string& output) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return false;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), size);
  return ::pclose(pipe) == 0;
}

std::string target_of(const std::string& text) {
  std::smatch match;
  static const std::regex pattern(R"(\.target\s+(sm_\d+[af]?))");
  return std::regex_search(text, match, pattern) ? match[1].str() : "sm_75";
}

}  // namespace

std::optional<std::string> find_ptxas() {
  if (const char* set = std::getenv("HEDDLE_PTXAS")) return set;
  for (const char* path : {"ptxas", "/usr/local/cuda/bin/ptxas"}) {
    std::string output;
    if (run(std::string(path) + " --version", output)) return path;
  }
  return std::nullopt;
}

PtxasVerdict run_ptxas(const std::string& ptxas, std::string_view text) {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "module.ptx").string();
  std::ofstream(file, std::ios::binary) << text;
  const std::string command = ptxas + " -O0 -arch=" + target_of(std::string(text)) + " -o /dev/null " + file;
  PtxasVerdict verdict;
  verdict.accepted = run(command, verdict.messages);
  // Alone a module may lack functions that it calls.
  if (!verdict.accepted && verdict.messages.find("Unresolved extern") != std::string::npos) {
    verdict.messages.clear();
    verdict.accepted = run(command + " -c", verdict.messages);
  }
  return verdict;
}

std::string lift_target(std::string_view text) {
  std::string result(text);
  std::smatch match;
  static const std::regex target(R"((^|\n)\s*\.target\s+sm_(\d+)([^\n]*))");
  if (!std::regex_search(result, match, target) || std::stoi(match[2]) >= least_target) return result;
  const std::string options = std::regex_replace(match[3].str(), std::regex(R"(,\s*map_f64_to_f32)"), "");
  result.replace(static_cast<std::size_t>(match.position(0)), static_cast<std::size_t>(match.length(0)),
                 "\n.target sm_75" + options);
  static const std::regex version(R"(\.version\s+(\d+)\.(\d+))");
  if (std::regex_search(result, match, version) && std::stoi(match[1]) * 100 + std::stoi(match[2]) < least_version)
    result.replace(static_cast<std::size_t>(match.position(0)), static_cast<std::size_t>(match.length(0)),
                   ".version 6.3");
  return result;
}

}  // namespace heddle::test
