#include "compat/survey.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "compat/process.hpp"
#include "support/statistics.hpp"

namespace heddle::bench {
namespace {

std::string log_name(const Program& program, std::size_t way) {
  std::string name = program.name + '.' + std::to_string(way) + ".log";
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

Command command_of(const Program& program, const Way& way, double patience) {
  Command command{way.front, program.folder, program.seconds * patience};
  command.words.push_back(program.file.string());
  command.words.insert(command.words.end(), program.arguments.begin(), program.arguments.end());
  return command;
}

// The ways take turns, so that drift of the machine meets all alike. A way that has failed once is not run again.
std::vector<Judgement> run(const Program& program, const std::vector<Way>& ways, const SurveyOptions& options) {
  std::vector<Judgement> judgements(ways.size());
  std::vector<std::vector<double>> seconds(ways.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      if (round > 0 && judgements[w].verdict != Verdict::passed) continue;
      judgements[w] = judge(
          program, run_to_end(command_of(program, ways[w], options.patience), options.logs / log_name(program, w)));
      seconds[w].push_back(judgements[w].seconds);
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w)
    if (judgements[w].verdict == Verdict::passed) judgements[w].seconds = median(seconds[w]);
  return judgements;
}

}  // namespace

std::vector<Way> ways_of(const SurveyOptions& options) {
  std::vector<std::string> through{options.heddle.string(), "run"};
  if (!options.device.empty()) through.insert(through.end(), {"--device", options.device});
  std::vector<Way> ways;
  if (options.bare) ways.push_back({"bare", {}});
  ways.push_back({"heddle run", through});
  if (options.slice != 0) {
    const std::string blocks = std::to_string(options.slice);
    through.insert(through.end(), {"--slice", blocks});
    ways.push_back({"heddle run --slice " + blocks, through});
  }
  // What is said to heddle run ends here, whatever the program is called.
  for (Way& way : ways)
    if (!way.front.empty()) way.front.emplace_back("--");
  return ways;
}

std::vector<Row> survey(const ProgramList& list, const SurveyOptions& options,
                        const std::function<void(const Row&, std::size_t done)>& done) {
  const std::vector<Way> ways = ways_of(options);
  std::vector<std::optional<Row>> rows(list.programs.size());
  std::atomic<std::size_t> next{0};
  std::size_t ended = 0;
  std::mutex mutex;
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return options.seconds > 0 && taken.count() >= options.seconds;
  };
  const auto work = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < list.programs.size() && !interrupted() && !is_over();) {
      Row row{&list.programs[i], {}};
      if (row.program->left_out.empty()) row.judgements = run(*row.program, ways, options);
      if (interrupted()) return;
      const std::lock_guard lock(mutex);
      done(row, ++ended);
      rows[i] = std::move(row);
    }
  };
  std::vector<std::jthread> threads;
  for (int job = 1; job < options.jobs; ++job) threads.emplace_back(work);
  work();
  threads.clear();
  std::vector<Row> found;
  for (std::optional<Row>& row : rows)
    if (row) found.push_back(std::move(*row));
  return found;
}

}  // namespace heddle::bench
