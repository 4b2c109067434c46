#include "cli/ptxas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "base/file.hpp"
#include "base/print_error.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::cli {
namespace {

constexpr int bad_usage = 1, bad_ptx = 255;
constexpr const char* version_text =
    "ptxas: NVIDIA (R) Ptx optimizing assembler's command line, by Heddle\n"
    "Cuda compilation tools, release 13.0, V13.0.0\n";

// Options whose value is the next word.
bool takes_word(std::string_view word) {
  constexpr std::array<std::string_view, 14> options{
      "-o", "--output-file",  "-arch",     "--gpu-name",       "-O",    "--opt-level",       "-maxrregcount",
      "-m", "--maxrregcount", "--machine", "--def-load-cache", "-dlcm", "--def-store-cache", "-dscm"};
  return std::find(options.begin(), options.end(), word) != options.end();
}

struct Files {
  std::string input, output;
};

Files files_of(const std::vector<std::string>& words) {
  Files files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    constexpr std::string_view output = "--output-file=";
    if (word == "-o" || word == "--output-file")
      files.output = i + 1 < words.size() ? words[i + 1] : "";
    else if (word.starts_with(output))
      files.output = word.substr(output.size());
    else if (!word.starts_with('-'))
      files.input = word;
    if (takes_word(word)) ++i;
  }
  return files;
}

}  // namespace

int ptxas(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "--version") != words.end() ||
      std::find(words.begin(), words.end(), "-V") != words.end()) {
    std::fputs(version_text, stdout);
    return 0;
  }
  const Files files = files_of(words);
  if (files.input.empty() || files.output.empty()) {
    base::print_error("ptxas fatal   : usage: heddle-ptxas [options of ptxas] FILE.ptx -o FILE\n");
    return bad_usage;
  }
  try {
    std::string text = base::read_file(files.input);
    ptx::parse(text, files.input);
    text.push_back('\0');
    base::write_users_file(files.output, text);
  } catch (const Error& error) {
    base::print_error("ptxas fatal   : {}\n", error.what());
    return error.code() == ErrorCode::parse_error ? bad_ptx : bad_usage;
  }
  return 0;
}

}  // namespace heddle::cli
