#include "ptx/rewrite/ptxas_registers.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>

#include "support/temporary_folder.hpp"

namespace heddle::test {
namespace {

bool run(const std::string& command, std::string& output) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return false;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), size);
  return ::pclose(pipe) == 0;
}

std::string target_of(std::string_view text) {
  std::match_results<std::string_view::const_iterator> match;
  static const std::regex pattern(R"(\.target\s+(sm_\d+[af]?))");
  return std::regex_search(text.begin(), text.end(), match, pattern) ? match[1].str() : "sm_75";
}

unsigned number_before(const std::string& line, const std::string& words) {
  std::smatch match;
  return std::regex_search(line, match, std::regex("(\\d+) " + words)) ? static_cast<unsigned>(std::stoul(match[1]))
                                                                       : 0;
}

// "Compiling entry function 'k' for ...", then "... bytes stack frame, ... bytes spill stores, ...", then "Used ...".
void read_messages(PtxasReport& report) {
  std::istringstream lines(report.messages);
  static const std::regex entry("Compiling entry function '([^']*)'"), function("Function properties for (.*)$");
  std::string kernel, of;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, entry)) kernel = match[1];
    if (std::regex_search(line, match, function)) of = match[1];
    if (kernel.empty()) continue;
    if (line.find("bytes stack frame") != std::string::npos && of == kernel) {
      report.kernels[kernel].stack_bytes = number_before(line, "bytes stack frame");
      report.kernels[kernel].spill_bytes =
          number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
    }
    if (line.find("Used ") == std::string::npos) continue;
    report.kernels[kernel].registers = number_before(line, "registers");
    report.kernels[kernel].barriers = number_before(line, "barriers");
    kernel.clear();
  }
}

}  // namespace

PtxasReport report_registers(const std::string& ptxas, std::string_view text) {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "module.ptx").string();
  std::ofstream(file, std::ios::binary) << text;
  const std::string command = ptxas + " -v -arch=" + target_of(text) + " -o /dev/null " + file;
  PtxasReport report;
  report.accepted = run(command, report.messages);
  // Alone a module may lack functions that it calls.
  if (!report.accepted && report.messages.find("Unresolved extern") != std::string::npos) {
    report.messages.clear();
    report.accepted = run(command + " -c", report.messages);
  }
  read_messages(report);
  return report;
}

}  // namespace heddle::test
