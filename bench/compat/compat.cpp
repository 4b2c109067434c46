// A table of the CUDA programs of a folder: which run on Heddle, and why the others do not. The programs are built
// already; "programs.txt" in the folder says how each is started.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "compat/report.hpp"
#include "compat/rows.hpp"
#include "support/folders.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
namespace fs = std::filesystem;

struct Options {
  SurveyOptions survey;
  fs::path folder, out, rows;
  std::string only, part;
  std::vector<fs::path> merge;
};

// $HEDDLE_PROGRAM, else bin/heddle of the archive of script/bundle that this program lies in.
fs::path heddle_program() {
  if (const char* chosen = std::getenv("HEDDLE_PROGRAM"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  return own.parent_path().parent_path().parent_path() / "bin" / "heddle";
}

void keep_only(ProgramList& list, const std::string& expression) {
  if (expression.empty()) return;
  const std::regex wanted(expression);
  std::erase_if(list.programs, [&](const Program& p) { return !std::regex_search(p.name, wanted); });
  if (list.programs.empty()) base::fail(ErrorCode::not_found, "no program of the list fits {}", expression);
}

void print_progress(const Row& row, std::size_t done, std::size_t all) {
  std::string line = fmt::format("[{}/{}] {}: ", done, all, row.program->name);
  if (row.judgements.empty()) line += "left out: " + row.program->left_out;
  for (std::size_t way = 0; way < row.judgements.size(); ++way)
    line += (way == 0 ? "" : " | ") + cell(row.judgements[way]);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

// Runs the programs. Each row is in its file as soon as the program has ended, whatever comes then.
Report run_programs(const ProgramList& list, const Options& options) {
  const std::vector<Way> ways = ways_of(options.survey);
  std::ofstream file;
  if (!options.rows.empty()) {
    file.open(options.rows);
    if (!file) base::fail(ErrorCode::io_error, "--rows {}: the file cannot be written", options.rows.string());
  }
  std::vector<Row> rows = survey(list, options.survey, [&](const Row& row, std::size_t done) {
    print_progress(row, done, list.programs.size());
    if (file.is_open()) file << row_line(row, ways) << std::endl;
  });
  if (file.is_open() && !file.good())
    base::fail(ErrorCode::io_error, "--rows {}: the file could not be written", options.rows.string());
  return {list, ways, std::move(rows)};
}

Report merge_files(const ProgramList& list, const std::vector<fs::path>& files) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const fs::path& file : files) texts.emplace_back(file.string(), base::read_file(file));
  Merged merged = merge_rows(list, texts);
  if (merged.ways.empty()) base::fail(ErrorCode::invalid_argument, "--merge: the files have no program that was run");
  return {list, std::move(merged.ways), std::move(merged.rows)};
}

void prepare(Options& options, base::TemporaryFolder& own_logs) {
  if (options.survey.heddle.empty()) options.survey.heddle = heddle_program();
  options.survey.heddle = fs::absolute(options.survey.heddle);
  if (::access(options.survey.heddle.c_str(), X_OK) != 0)
    base::fail(ErrorCode::not_found, "there is no program {}: --heddle names it", options.survey.heddle.string());
  if (options.survey.logs.empty()) {
    own_logs.create("compat");
    options.survey.logs = own_logs.path();
  }
  fs::create_directories(options.survey.logs);
}

int make_table(Options options) {
  base::TemporaryFolder own_logs;
  if (options.merge.empty()) prepare(options, own_logs);
  options.folder = fs::absolute(options.folder).lexically_normal();
  ProgramList list = read_program_list(options.folder);
  keep_only(list, options.only);
  if (!options.part.empty()) keep_part(list, options.part);

  const Report report = options.merge.empty() ? run_programs(list, options) : merge_files(list, options.merge);
  const std::string text = markdown(report, options.survey.device);
  if (!options.out.empty()) base::write_file_atomic(options.out, std::string_view(text));
  fmt::print("\n{}", options.out.empty() ? text : text.substr(0, text.find("\n\n", text.find("\n\n") + 2)) + "\n");
  const std::size_t all = list.programs.size(), run = report.rows.size();
  if (interrupted()) {
    fmt::print("interrupted: {} of {} programs were run\n", run, all);
    return 130;
  }
  if (run < all) fmt::print("not run: {} of {} programs\n", all - run, all);
  Results results("compat-" +
                  (options.folder.has_filename() ? options.folder : options.folder.parent_path()).filename().string());
  if (!options.survey.device.empty()) results.also_on("device " + options.survey.device);
  add_results(report, results);
  fmt::print("written: {}\n", results.write().string());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app{"Which CUDA programs of a folder run on Heddle. FOLDER/programs.txt lists them.", "compat"};
  app.add_option("folder", options.folder, "programs that are built already, with their list")->required();
  app.add_option("--device", options.survey.device, "as of heddle run: cpu, cuda:0 (default: what is found)");
  app.add_option("--slice", options.survey.slice, "also runs each with launches cut into ranges of so many blocks");
  app.add_flag("--bare", options.survey.bare, "also runs each without Heddle, on NVIDIA's own libraries");
  app.add_option("--rounds", options.survey.rounds, "runs of each; the time is their median")
      ->check(CLI::Range(1, 1000));
  app.add_option("--patience", options.survey.patience, "multiplies the time limits: for a busy machine")
      ->check(CLI::Range(0.01, 1000.0));
  app.add_option("--jobs", options.survey.jobs, "programs at a time")->check(CLI::Range(1, 1024));
  app.add_option("--only", options.only, "a regular expression that names must fit");
  app.add_option("--part", options.part, "K/N: every N-th program of the list, from the K-th on");
  app.add_option("--seconds", options.survey.seconds, "starts no other program after so many seconds")
      ->check(CLI::PositiveNumber);
  auto* const rows = app.add_option("--rows", options.rows, "also writes a line of JSON for each program to this file");
  app.add_option("--merge", options.merge, "runs nothing: the table is that of these files, as --rows has written them")
      ->check(CLI::ExistingFile)
      ->excludes(rows);
  app.add_option("--out", options.out, "the table as markdown");
  app.add_option("--logs", options.survey.logs, "keeps what the programs wrote, in this folder");
  app.add_option("--heddle", options.survey.heddle, "the program heddle");
  CLI11_PARSE(app, count, arguments);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { interrupt_all(); });
  try {
    return make_table(std::move(options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "compat: {}\n", error.what());
    return 2;
  }
}
