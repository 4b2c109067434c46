#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/fail.hpp"
#include "base/nearest.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "device/sim/policies/registry.hpp"
#include "device/sim/sampling/plan.hpp"
#include "device/sim/sim.hpp"

namespace heddle::device::sim {
namespace {

constexpr unsigned most_threads = 64;
constexpr unsigned most_sample_waves = 1'000'000;
constexpr unsigned most_cycles = 1'000'000'000, most_launches = 1'000'000;  // of a trace

unsigned number_of(std::string_view key, std::string_view text, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0 || value > most)
    base::fail(ErrorCode::invalid_argument, "{}={}: expected a number from 1 to {}", key, text, most);
  return value;
}

bool choice(std::string_view key, std::string_view text, std::string_view no, std::string_view yes) {
  if (text != no && text != yes)
    base::fail(ErrorCode::invalid_argument, "{}={}: expected {} or {}", key, text, no, yes);
  return text == yes;
}

void print_report(const std::string& kernel, const KernelStatistics& statistics) {
  std::fputs(report_text(kernel, statistics).c_str(), stdout);
}

bool is_json_file(std::string_view text) { return text.size() > 5 && text.ends_with(".json"); }

void set_report(SimOptions& options, std::string_view text) {
  options.on_launch = {};
  options.record.report.clear();
  if (text == "none") return;
  if (text == "text")
    options.on_launch = print_report;
  else if (is_json_file(text))
    options.record.report = text;
  else
    base::fail(ErrorCode::invalid_argument,
               "report={}: expected none, text or the name of a file that ends with .json, as report=run.json", text);
}

void set_trace(SimOptions& options, std::string_view text) {
  if (!is_json_file(text))
    base::fail(ErrorCode::invalid_argument,
               "trace={}: expected the name of a file that ends with .json, as trace=warps.json", text);
  options.record.trace = text;
}

void set_sample(SimOptions& options, std::string_view text) {
  options.sample_waves = number_of("sample", text, most_sample_waves);
  if (options.sample_waves < least_sample_waves)
    base::fail(ErrorCode::invalid_argument, "sample={}: fewer than {} waves of blocks tell nothing of the others", text,
               least_sample_waves);
}

// What is no policy's.
struct Option {
  std::string_view key;
  void (*set)(SimOptions& options, std::string_view key, std::string_view value);
};

constexpr Option own_options[] = {
    {"memory", [](SimOptions& o, std::string_view key,
                  std::string_view value) { o.ideal_memory = choice(key, value, "full", "ideal"); }},
    {"threads", [](SimOptions& o, std::string_view key,
                   std::string_view value) { o.host_threads = number_of(key, value, most_threads); }},
    {"sample", [](SimOptions& o, std::string_view, std::string_view value) { set_sample(o, value); }},
    {"report", [](SimOptions& o, std::string_view, std::string_view value) { set_report(o, value); }},
    {"trace", [](SimOptions& o, std::string_view, std::string_view value) { set_trace(o, value); }},
    {"trace-cycles", [](SimOptions& o, std::string_view key,
                        std::string_view value) { o.record.trace_cycles = number_of(key, value, most_cycles); }},
    {"trace-launches", [](SimOptions& o, std::string_view key, std::string_view value) {
       o.record.trace_launches = number_of(key, value, most_launches);
     }}};

void set_option(SimOptions& options, std::string_view key, std::string_view value) {
  for (const Option& option : own_options)
    if (option.key == key) return option.set(options, key, value);
  if (set_policy(options.machine.policies, key, value)) return;
  std::vector<std::string> keys = policy_seams();
  for (const Option& option : own_options) keys.emplace_back(option.key);
  base::fail(ErrorCode::invalid_argument,
             "the simulator has no option '{}'{} {}, and options of the policies (docs/simulator-policies.md)", key,
             base::before_list(key, keys, "it has"), fmt::join(keys, ", "));
}

}  // namespace

SimOptions parse_sim_options(std::string_view text) {
  SimOptions options;
  options.id = text;
  std::string_view rest = text;
  if (rest.starts_with("sim:")) rest.remove_prefix(4);
  const std::size_t first = rest.find(',');
  options.machine = find_machine(std::string(rest.substr(0, first)));
  std::set<std::string_view> given;
  while (rest.find(',') != rest.npos) {
    rest.remove_prefix(rest.find(',') + 1);
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t equal = one.find('=');
    if (equal == one.npos)
      base::fail(ErrorCode::invalid_argument, "'{}': expected KEY=VALUE after the machine's name, as scheduler=gto",
                 one);
    if (!given.insert(one.substr(0, equal)).second)
      base::fail(ErrorCode::invalid_argument, "{} is given twice", one.substr(0, equal));
    set_option(options, one.substr(0, equal), one.substr(equal + 1));
  }
  check_policies(options.machine.policies);
  return options;
}

}  // namespace heddle::device::sim
