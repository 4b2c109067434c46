#include "programs/cc/parse_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/nearest.hpp"
#include "programs/cc/option_table.hpp"

namespace heddle::programs {
namespace {

constexpr int most_nested_files = 10;

// An option of the table as it stands in a word, with what follows its name there.
struct Match {
  const OptionRule* rule = nullptr;
  std::string name, value;
  bool has_value = false;
};

Match find_rule(std::string_view word) {
  const std::string_view text = word.substr(word.starts_with("--") ? 2 : 1);
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  Match joined;
  for (const OptionRule& rule : option_rules()) {
    for (const std::string_view known : rule.names) {
      if (name == known) {
        const bool has_value = equals != text.npos;
        return {&rule, std::string(known), has_value ? std::string(text.substr(equals + 1)) : "", has_value};
      }
      const bool short_name = known.size() <= 2 && !word.starts_with("--");
      if (rule.joined && short_name && text.starts_with(known) && text.size() > known.size() && !joined.rule)
        joined = {&rule, std::string(known), std::string(text.substr(known.size())), true};
    }
  }
  return joined;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      parts.back() += text[++i];
    } else if (text[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  std::erase(parts, "");
  return parts;
}

void apply(CcOptions& options, const OptionRule& rule, const std::string& value) {
  if (!rule.apply) return;
  switch (rule.value) {
    case OptionRule::Value::list:
      for (const std::string& part : split_list(value)) rule.apply(options, part);
      break;
    case OptionRule::Value::words:
      for (const std::string& word : split_words(value, ","))
        if (!word.empty()) rule.apply(options, word);
      break;
    default: rule.apply(options, value);
  }
}

Language language_of(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  const auto is = [&](std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), extension) != list.end();
  };
  if (is({".cu"})) return Language::cuda;
  if (is({".c", ".i"})) return Language::c;
  if (is({".cc", ".cpp", ".cxx", ".c++", ".C", ".ii"})) return Language::cxx;
  if (is({".o", ".obj", ".a", ".so"}) || name.find(".so.") != name.npos) return Language::object;
  if (is({".ptx", ".cubin", ".fatbin", ".gpu"}))
    base::fail(ErrorCode::unsupported,
               "{}: heddle cc takes sources and object files; a program can load PTX itself "
               "(cuModuleLoad), and `heddle launch` runs it",
               name);
  base::fail(
      ErrorCode::invalid_argument,
      "{}: the file's name does not say what it is (expected .cu, .c, .cpp, .o, .a or .so; -x cu says it is CUDA C++)",
      name);
}

// "; did you mean '--ptx'?", or a full stop.
std::string meant_option(const std::string& word) {
  std::vector<std::string> names;
  for (const OptionRule& rule : option_rules()) names.insert(names.end(), rule.names.begin(), rule.names.end());
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  const std::string meant = base::nearest(word.substr(dashes, word.find('=') - dashes), names);
  return meant.empty() ? "." : "; did you mean '" + word.substr(0, dashes) + meant + "'?";
}

class Parser {
 public:
  explicit Parser(CcOptions& options) : options_(options) {}

  void parse(const std::vector<std::string>& words, int depth) {
    bool files_alone = false;  // behind --
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (files_alone) {
        options_.add_input(word);
        continue;
      }
      if (word == "--") {
        files_alone = true;
        continue;
      }
      if (word.starts_with('@') && word.size() > 1) {
        read_words(word.substr(1), depth);
      } else if (word.size() > 1 && word[0] == '-') {
        i = option(words, i, depth);
      } else {
        options_.add_input(word);
      }
    }
  }

 private:
  // Returns the place of the last word that belongs to it.
  std::size_t option(const std::vector<std::string>& words, std::size_t i, int depth) {
    const std::string& word = words[i];
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (name == "-optf" || name == "--options-file") {
      const bool has_value = name.size() != word.size();
      if (!has_value && i + 1 == words.size()) base::fail(ErrorCode::invalid_argument, "{} lacks its value", word);
      for (const std::string& file : split_list(has_value ? word.substr(name.size() + 1) : words[++i]))
        read_words(file, depth);
      return i;
    }
    Match match = find_rule(word);
    // Nobody means a file "utfile".
    if (match.rule && match.name == "o" && word.starts_with("-out"))
      base::fail(ErrorCode::invalid_argument, "{} is not an option of heddle cc; -o FILE names the output", word);
    if (!match.rule && take_for_host(word)) return i;
    if (!match.rule)
      base::fail(ErrorCode::invalid_argument,
                 "{} is not an option of heddle cc{} An option for the host's compiler is given as -Xcompiler OPTION",
                 word, meant_option(word));
    if (match.rule->refused) base::fail(ErrorCode::unsupported, "{} is not supported: {}", word, match.rule->refused);
    using Value = OptionRule::Value;
    if (match.rule->value == Value::none) {
      if (match.has_value && match.value != "true")
        base::fail(ErrorCode::invalid_argument, "{}: -{} takes no value", word, match.name);
    } else if (!match.has_value && match.rule->value != Value::optional_truth) {
      if (i + 1 == words.size()) base::fail(ErrorCode::invalid_argument, "{} lacks its value", word);
      match.value = words[++i];
    }
    check_value(match);
    apply(options_, *match.rule, match.value);
    return i;
  }

  static void check_value(const Match& match) {
    using Value = OptionRule::Value;
    const Value kind = match.rule->value;
    if ((kind == Value::one || kind == Value::number) && match.value.empty())
      base::fail(ErrorCode::invalid_argument, "-{}: its value is empty", match.name);
    if (kind == Value::number && match.value.find_first_not_of("0123456789") != std::string::npos)
      base::fail(ErrorCode::invalid_argument, "-{} {}: expected a number", match.name, match.value);
    if (kind == Value::optional_truth && match.has_value && match.value != "true" && match.value != "false")
      base::fail(ErrorCode::invalid_argument, "-{}={}: expected true or false", match.name, match.value);
  }

  // Options of host compilers in general, which do not need -Xcompiler: -fno-strict-aliasing, -Wall, -march=native.
  // Those that clang does not know either it names itself.
  bool take_for_host(const std::string& word) {
    constexpr std::string_view to_linker = "-Wl,";
    if (word.starts_with(to_linker)) {
      for (const std::string& part : split_list(word.substr(to_linker.size()))) options_.add_linker_word(part);
      return true;
    }
    const bool is_family =
        word.size() > 2 && (word.starts_with("-f") || word.starts_with("-W") || word.starts_with("-m"));
    constexpr std::array<std::string_view, 7> others{"-pthread",       "-pedantic",         "-ansi", "-rdynamic",
                                                     "-static-libgcc", "-static-libstdc++", "-s"};
    if (!is_family && std::find(others.begin(), others.end(), word) == others.end()) return false;
    options_.host.push_back(word);
    return true;
  }

  void read_words(const std::string& file, int depth) {
    if (depth >= most_nested_files)
      base::fail(ErrorCode::invalid_argument, "{}: response files name each other more than {} deep", file,
                 most_nested_files);
    options_.option_files.push_back(file);
    parse(split_words(base::without_byte_order_mark(base::read_file(file))), depth + 1);
  }

  CcOptions& options_;
};

unsigned number_of(const std::string& architecture) { return static_cast<unsigned>(std::atoi(architecture.c_str())); }

// The oldest that was asked for, so that the program runs on all, and the newest, so that none of what it has for that
// is lost. The PTX of a target is for all later GPUs.
void settle_architectures(CcOptions& options) {
  constexpr unsigned oldest = 60, newest = 90;
  std::vector<std::string>& all = options.architectures;
  for (std::string& name : all) {
    if (!name.empty() && !std::isdigit(static_cast<unsigned char>(name.back()))) name.pop_back();  // 90a
    const unsigned number = number_of(name);
    if (number >= oldest && number <= newest) continue;
    name = std::to_string(number < oldest ? oldest : newest);
    options.notes.push_back(
        number < oldest
            ? fmt::format("the PTX is for compute_{}, the oldest that Heddle's compiler makes", name)
            : fmt::format("the PTX is for compute_{}, the newest that Heddle's compiler makes; newer GPUs run it",
                          name));
  }
  if (all.empty()) all.push_back("80");
  std::sort(all.begin(), all.end(),
            [](const std::string& a, const std::string& b) { return number_of(a) < number_of(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > 2) all = {all.front(), all.back()};
  std::sort(options.notes.begin(), options.notes.end());
  options.notes.erase(std::unique(options.notes.begin(), options.notes.end()), options.notes.end());
}

void check(const CcOptions& options) {
  if (options.help || options.version) return;
  if (options.inputs.empty()) base::fail(ErrorCode::invalid_argument, "no input file");
  const auto sources = std::count_if(options.inputs.begin(), options.inputs.end(),
                                     [](const Input& input) { return input.language != Language::object; });
  if (options.phase == Phase::link || options.phase == Phase::device_link) return;
  if (sources == 0) base::fail(ErrorCode::invalid_argument, "there is no source among the files");
  if (!options.output.empty() && sources > 1)
    base::fail(ErrorCode::invalid_argument, "-o names one file, and {} would be written", sources);
}

}  // namespace

std::vector<std::string> split_words(std::string_view text, std::string_view more_separators) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool separates =
        std::isspace(static_cast<unsigned char>(c)) != 0 || more_separators.find(c) != more_separators.npos;
    if (quote == 0 && separates) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return words;
}

namespace {

// What -Xcompiler has for the preprocessor is for both kinds of code, as with nvcc.
void share_with_device_code(CcOptions& options) {
  const std::pair<std::string_view, std::function<void(const std::string&)>> kinds[] = {
      {"-D", [&](const std::string& value) { options.defines.push_back(value); }},
      {"-U", [&](const std::string& value) { options.defines.push_back("-" + value); }},
      {"-include", [&](const std::string& value) { options.forced_includes.push_back(value); }},
      {"-isystem", [&](const std::string& value) { options.system_include_paths.push_back(value); }},
      {"-iquote", [&](const std::string& value) { options.quoted_include_paths.push_back(value); }},
      {"-I", [&](const std::string& value) { options.include_paths.push_back(value); }}};
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < options.host.size(); ++i) {
    const std::string& word = options.host[i];
    const auto kind = std::ranges::find_if(kinds, [&](const auto& one) { return word.starts_with(one.first); });
    if (kind == std::end(kinds))
      rest.push_back(word);
    else if (word.size() > kind->first.size())
      kind->second(word.substr(kind->first.size()));
    else if (i + 1 < options.host.size())
      kind->second(options.host[++i]);
    else
      rest.push_back(word);
  }
  options.host = std::move(rest);
}

}  // namespace

CcOptions parse_cc_options(const std::vector<std::string>& words) {
  CcOptions options;
  Parser(options).parse(words, 0);
  share_with_device_code(options);
  for (Input& input : options.inputs) {
    const bool is_object = std::filesystem::path(input.name).extension() == ".o";
    input.language = options.language && !is_object ? *options.language : language_of(input.name);
  }
  // The headers come before the program's own macros, and look at this one.
  const auto per_thread = [](const std::string& define) {
    return define.substr(0, define.find('=')) == "CUDA_API_PER_THREAD_DEFAULT_STREAM" && !define.ends_with("=0");
  };
  if (std::any_of(options.defines.begin(), options.defines.end(), per_thread)) options.per_thread_stream = true;
  settle_architectures(options);
  check(options);
  return options;
}

std::string cc_help() {
  return R"(heddle cc: compiles CUDA programs; takes nvcc's command line.

  heddle cc a.cu b.cpp c.c d.o -o program      builds a program
  heddle cc -c a.cu                            makes a.o
  heddle cc -shared -Xcompiler -fPIC a.cu -o liba.so

Programs use libcudart.so.12: `heddle run program` runs them on whatever this machine has; they also run by themselves
where NVIDIA's libraries are. Device code becomes PTX (for sm_80, unless -arch or -gencode name others), host code is
compiled by clang 19. No part of NVIDIA's SDK is needed.

  -c, -dc, -dlink, -ptx, -E, -M, -MM, -shared          what to make
  -o FILE, -I, -isystem, -include, -D, -U      files, folders, macros
  -L, -l, -Xlinker LIST, -Xcompiler LIST       for the linker and for the compiler of host code
  -O0..-O3, -g, -G, -lineinfo, -std=, -w       of host code; device code is always optimised and has its lines
  -arch=, -code=, -gencode                     sm_XX is taken as PTX for compute_XX
  --use_fast_math, -fmad=, -ftz=, --default-stream
  -MD, -MMD, -MF, -MT, -MP                     dependencies, along with -c
  -x cu|c|c++, -ccbin COMPILER, -cudart shared|none, @FILE, -v, --dryrun

Other options of nvcc are accepted where they change nothing in what the program does, and refused by name where they
would.
)";
}

}  // namespace heddle::programs
