#include "cli/ptxas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/file.hpp"
#include "base/overwrite.hpp"
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

constexpr const char* usage_text = "usage: heddle-ptxas [options of ptxas] FILE.ptx -o FILE\n";

bool asks_for(const std::vector<std::string>& words, std::string_view name, std::string_view letter) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return w == name || w == letter; });
}

struct Files {
  std::vector<std::string> inputs;
  std::string output;
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
    else if (!word.starts_with('-') && !word.empty())
      files.inputs.push_back(word);
    if (takes_word(word)) ++i;
  }
  return files;
}

}  // namespace

int ptxas(const std::vector<std::string>& words) {
  if (asks_for(words, "--version", "-V")) {
    std::fputs(version_text, stdout);
    return 0;
  }
  if (asks_for(words, "--help", "-h")) {
    std::fputs(usage_text, stdout);
    return 0;
  }
  const Files files = files_of(words);
  if (files.inputs.size() != 1 || files.output.empty()) {
    base::print_error("ptxas fatal   : {}", usage_text);
    return bad_usage;
  }
  try {
    const std::string& input = files.inputs.front();
    const std::filesystem::path inputs[] = {input};
    base::require_folder_of(files.output);
    base::refuse_overwrite("-o", files.output, inputs);
    std::string text = base::read_file(input);
    ptx::parse(text, input);
    text.push_back('\0');
    base::write_users_file(files.output, text);
  } catch (const Error& error) {
    base::print_error("ptxas fatal   : {}\n", error.what());
    return error.code() == ErrorCode::parse_error ? bad_ptx : bad_usage;
  }
  return 0;
}

}  // namespace heddle::cli
