// heddle knowledge: what is known of trees of kernels. heddle tune: runs a program that finds more.
#include "cli/knowledge.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "base/table.hpp"
#include "cli/interrupt.hpp"
#include "knowledge/store.hpp"
#include "programs/places.hpp"
#include "programs/run/inspection.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string file, program, workload;
  bool json = false, all = false;
};

// What is only read, or forgotten, must be there.
knowledge::Store store_of(const Options& options, const base::Clock& clock) {
  std::error_code unknown;
  if (!options.file.empty() && !std::filesystem::exists(std::filesystem::symlink_status(options.file, unknown)))
    base::fail(ErrorCode::not_found, "there is no file {}", options.file);
  return {options.file.empty() ? knowledge::Store::usual_file() : std::filesystem::path(options.file), clock};
}

std::string time_of(const knowledge::Profile& profile) {
  return profile.best_seconds < knowledge::never_run ? base::format_duration(profile.best_seconds) : "-";
}

// "map(scale(float*, int))" for "map(_Z5scalePfi)", which is the key.
std::string shown_name(const std::string& program) {
  constexpr std::string_view start = "_Z";
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::string text;
  for (std::size_t at = 0; at < program.size();) {
    std::size_t end = at + 1;
    if (is_word(program[at]))
      while (end < program.size() && is_word(program[end])) ++end;
    const std::string word = program.substr(at, end - at);
    text += word.starts_with(start) ? base::demangled(word) : word;
    at = end;
  }
  return text;
}

// Names begin as the user says, in the form that is shown or as they are kept.
bool is_meant(const std::string& program, const Options& options) {
  return program.starts_with(options.program) || shown_name(program).starts_with(options.program);
}

std::vector<knowledge::Profile> profiles_of(const Options& options) {
  const base::SteadyClock clock;
  std::vector<knowledge::Profile> chosen;
  for (knowledge::Profile& profile : store_of(options, clock).all()) {
    const bool fits = is_meant(profile.subject.program, options) &&
                      (options.workload.empty() || knowledge::text_of(profile.workload) == options.workload);
    if (fits) chosen.push_back(std::move(profile));
  }
  return chosen;
}

nlohmann::json json_of(const knowledge::Profile& profile) {
  const knowledge::Configuration& configuration = profile.configuration;
  nlohmann::json json = {{"program", profile.subject.program},
                         {"machine", profile.subject.machine},
                         {"share", profile.subject.share},
                         {"workload", knowledge::text_of(profile.workload)},
                         {"gpu_share", configuration.gpu_share},
                         {"fission", knowledge::name(configuration.fission)},
                         {"overlap", configuration.overlap},
                         {"blocks", configuration.groups},
                         {"deviation", profile.deviation},
                         {"origin", knowledge::name(profile.origin)},
                         {"why", profile.why}};
  json["best_seconds"] = std::isfinite(profile.best_seconds) ? nlohmann::json(profile.best_seconds) : nlohmann::json();
  return json;
}

void list(const Options& options) {
  const std::vector<knowledge::Profile> profiles = profiles_of(options);
  if (options.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const knowledge::Profile& profile : profiles) rows.push_back(json_of(profile));
    return fmt::print("{}\n", rows.dump(2));
  }
  if (profiles.empty()) return fmt::print("nothing is known of any program yet\n");
  base::Table table({{"program"},
                     {"workload"},
                     {"GPU %", base::Align::right},
                     {"fission"},
                     {"overlap", base::Align::right},
                     {"best", base::Align::right},
                     {"origin"}});
  for (const knowledge::Profile& profile : profiles)
    table.add_row({shown_name(profile.subject.program), knowledge::text_of(profile.workload),
                   fmt::format("{:.1f}", 100 * profile.configuration.gpu_share),
                   knowledge::name(profile.configuration.fission), std::to_string(profile.configuration.overlap),
                   time_of(profile), knowledge::name(profile.origin)});
  fmt::print("{}", table.text());
}

void show(const Options& options) {
  const std::vector<knowledge::Profile> profiles = profiles_of(options);
  if (profiles.empty())
    base::fail(ErrorCode::not_found, "nothing is known of a program '{}'; heddle knowledge list has all",
               options.program);
  for (const knowledge::Profile& profile : profiles) {
    const knowledge::Configuration& configuration = profile.configuration;
    fmt::print("{}\n  workload   {}\n  machine    {}, share {}\n", shown_name(profile.subject.program),
               knowledge::text_of(profile.workload), profile.subject.machine, profile.subject.share);
    fmt::print("  split      GPUs {:.1f} %, CPUs {:.1f} %\n", 100 * configuration.gpu_share,
               100 * (1 - configuration.gpu_share));
    fmt::print("  platforms  fission {}, overlap {}, blocks of {} threads\n", knowledge::name(configuration.fission),
               configuration.overlap,
               configuration.groups.empty() ? "the kernels' own number of"
                                            : fmt::format("{}", fmt::join(configuration.groups, ", ")));
    fmt::print("  best run   {}, its shortest part {:.0f} % of its longest\n  why        {}: {}\n", time_of(profile),
               100 * profile.deviation, knowledge::name(profile.origin), profile.why);
  }
}

void forget(const Options& options) {
  if (options.program.empty() && !options.all)
    throw UsageError("name a program, or the beginning of its name, or say --all");
  if (!options.program.empty() && options.all)
    throw UsageError("--all stands for all programs, and " + options.program + " is named; give one of them");
  const base::SteadyClock clock;
  knowledge::Store store = store_of(options, clock);
  std::size_t count = 0;
  if (options.all) count = store.forget({}, options.workload);
  if (!options.all)
    for (const knowledge::Profile& profile : profiles_of(options))
      count += store.forget(profile.subject.program, options.workload, true);
  fmt::print("{} forgotten\n", base::counted(count, "profile"));
}

}  // namespace

void add_knowledge(CLI::App& app) {
  CLI::App* command = app.add_subcommand("knowledge", "what is known of trees of kernels: how they are split, and why");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, void (*work)(const Options&)) {
    auto options = std::make_shared<Options>();
    CLI::App* sub = command->add_subcommand(name, text);
    sub->add_option("program", options->program, "its name, or how the name begins");
    sub->add_option("--workload", options->workload, "only this one, as \"4288x2848 single\"");
    sub->add_option("--file", options->file, "the database, instead of the one in the cache");
    sub->callback([options, work] { work(*options); });
    return std::pair(sub, options);
  };
  const auto [listed, list_options] = add("list", "one line for each program and workload", &list);
  listed->add_flag("--json", list_options->json, "as JSON");
  add("show", "all that is known of a program, and where its split comes from", &show);
  const auto [forgotten, forget_options] = add("forget", "removes profiles", &forget);
  forgotten->add_flag("--all", forget_options->all, "those of all programs");
}

namespace {

// The loader would only say that there is no libcudart.
void refuse_cuda(const std::string& word) {
  const std::string program = programs::find_program(word);
  std::error_code error;
  if (std::filesystem::is_regular_file(program, error) && programs::uses_cuda_alone(program))
    base::fail(ErrorCode::unsupported,
               "{} is a CUDA program, whose kernels have nothing to tune; heddle run runs it. heddle tune takes "
               "programs that use Heddle's trees of kernels (heddle/skeleton.hpp)",
               word);
}

constexpr const char* tuned =
    "heddle tune takes a program, built and executable, that uses Heddle's trees of kernels (heddle/skeleton.hpp)";

// execvp() looks for a name without a slash on PATH alone. Its error for a file in this folder is "no such file".
[[noreturn]] void refuse(const std::string& word, int why) {
  std::error_code unknown;
  const bool is_here = std::filesystem::is_regular_file(word, unknown);
  const bool is_executable = is_here && ::access(word.c_str(), X_OK) == 0;
  if (is_executable && word.find('/') == word.npos)
    base::fail(ErrorCode::not_found, "there is no program {} on PATH; heddle tune ./{} runs the one in this folder",
               word, word);
  if (is_here && !is_executable)
    base::fail(ErrorCode::invalid_argument, "{} is no program that can be run: it is not executable. {}", word, tuned);
  if (std::filesystem::is_directory(word, unknown))
    base::fail(ErrorCode::invalid_argument, "{} is a folder. {}", word, tuned);
  base::fail(ErrorCode::not_found, "{} cannot be run: {}", word, std::strerror(why));
}

}  // namespace

void add_tune(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand(
      "tune", "runs a program whose trees of kernels search for the best configuration; heddle knowledge shows it");
  command->add_option("program", *words, "the program and its arguments")->required();
  command->positionals_at_end();
  command->prefix_command();
  command->callback([command, words] {
    std::vector<std::string> all = *words;
    for (const std::string& word : command->remaining()) all.push_back(word);
    refuse_cuda(all[0]);
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::setenv("HEDDLE_TUNE", "1", 1);
    hand_signals_over();
    ::execvp(arguments[0], arguments.data());
    refuse(all[0], errno);
  });
}

}  // namespace heddle::cli
