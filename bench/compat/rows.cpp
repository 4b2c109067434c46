#include "compat/rows.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/fail.hpp"

namespace heddle::bench {
namespace {

using nlohmann::json;

std::optional<Verdict> verdict_of(const std::string& text) {
  for (const Verdict verdict :
       {Verdict::passed, Verdict::failed, Verdict::refused, Verdict::timed_out, Verdict::crashed, Verdict::left_out})
    if (text == text_of(verdict)) return verdict;
  return std::nullopt;
}

struct Read {
  std::string program;
  std::vector<std::string> ways;
  std::vector<Judgement> judgements;
};

Read read_line(std::string_view line) {
  const json all = json::parse(line);
  Read read{all.at("program").get<std::string>(), {}, {}};
  for (const json& result : all.at("results")) {
    const auto verdict = verdict_of(result.at("verdict").get<std::string>());
    if (!verdict) base::fail(ErrorCode::invalid_argument, "'{}' is no verdict", result.at("verdict").dump());
    read.ways.push_back(result.at("way").get<std::string>());
    read.judgements.push_back({*verdict, result.at("reason").get<std::string>(), result.at("seconds").get<double>()});
  }
  return read;
}

class Merger {
 public:
  explicit Merger(const ProgramList& list) : list_(list) {
    for (const Program& program : list.programs) known_[program.name] = &program;
  }

  void add(std::string_view line) {
    Read read = read_line(line);
    const auto found = known_.find(read.program);
    if (found == known_.end()) base::fail(ErrorCode::invalid_argument, "the list has no program {}", read.program);
    if (!read.ways.empty()) {
      if (ways_.empty()) ways_ = read.ways;
      if (read.ways != ways_)
        base::fail(ErrorCode::invalid_argument, "{} was run in other ways than the programs before it", read.program);
    }
    rows_[found->second] = {found->second, std::move(read.judgements)};
  }

  Merged done() {
    Merged merged;
    for (const std::string& way : ways_)
      merged.ways.push_back({way, way == "bare" ? std::vector<std::string>{} : std::vector<std::string>{"heddle"}});
    for (const Program& program : list_.programs) {
      const auto row = rows_.find(&program);
      if (row == rows_.end())
        merged.missing.push_back(program.name);
      else
        merged.rows.push_back(std::move(row->second));
    }
    return merged;
  }

 private:
  const ProgramList& list_;
  std::map<std::string, const Program*> known_;
  std::vector<std::string> ways_;
  std::map<const Program*, Row> rows_;
};

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string row_line(const Row& row, std::span<const Way> ways) {
  json results = json::array();
  for (std::size_t way = 0; way < row.judgements.size(); ++way) {
    const Judgement& judgement = row.judgements[way];
    results.push_back({{"way", ways[way].title},
                       {"verdict", text_of(judgement.verdict)},
                       {"reason", judgement.reason},
                       {"seconds", judgement.seconds}});
  }
  // Reasons are what programs wrote, in whatever encoding.
  return json{{"program", row.program->name}, {"results", results}}.dump(-1, ' ', true, json::error_handler_t::replace);
}

Merged merge_rows(const ProgramList& list, std::span<const std::pair<std::string, std::string>> texts) {
  Merger merger(list);
  for (const auto& [name, text] : texts) {
    std::string_view rest = text;
    for (unsigned number = 1; !rest.empty(); ++number) {
      const std::string_view line = next_line(rest);
      if (line.empty()) continue;
      try {
        merger.add(line);
      } catch (const json::exception&) {
        base::fail(ErrorCode::invalid_argument, "{}:{}: this is no row of a survey", name, number);
      } catch (const Error& error) {
        base::fail(ErrorCode::invalid_argument, "{}:{}: {}", name, number, error.what());
      }
    }
  }
  return merger.done();
}

void keep_part(ProgramList& list, std::string_view part) {
  std::size_t number = 0, parts = 0;
  const char* const end = part.data() + part.size();
  const auto [slash, error] = std::from_chars(part.data(), end, number);
  const auto [rest, other] = error == std::errc() && slash != end && *slash == '/'
                                 ? std::from_chars(slash + 1, end, parts)
                                 : std::from_chars_result{end, std::errc::invalid_argument};
  if (other != std::errc() || rest != end || number == 0 || number > parts)
    base::fail(ErrorCode::invalid_argument, "--part {}: expected K/N, as 1/3, 2/3 and 3/3", part);
  std::vector<Program> kept;
  for (std::size_t i = number - 1; i < list.programs.size(); i += parts) kept.push_back(std::move(list.programs[i]));
  list.programs = std::move(kept);
}

}  // namespace heddle::bench
