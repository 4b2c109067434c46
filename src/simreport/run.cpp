#include "simreport/run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "base/fail.hpp"
#include "base/file.hpp"

namespace heddle::simreport {
namespace {

using nlohmann::json;

struct Function {
  std::string name;
  json instructions, sources;
};

std::vector<double> numbers(const json& list) { return list.get<std::vector<double>>(); }
std::vector<std::string> texts(const json& list) { return list.get<std::vector<std::string>>(); }

Machine machine_of(const json& object) {
  if (object.at("format") != 1) base::fail(ErrorCode::parse_error, "the report is of another version of Heddle");
  Machine machine;
  machine.id = object.at("id");
  machine.name = object.at("name");
  machine.title = object.at("title");
  machine.sms = object.at("sms");
  machine.sm_mhz = object.at("sm_mhz");
  machine.schedulers = object.at("schedulers");
  machine.warps_per_sm = object.at("warps_per_sm");
  const json& peaks = object.at("peaks");
  machine.f32_per_s = peaks.at("f32_per_s");
  machine.f64_per_s = peaks.at("f64_per_s");
  machine.dram_bytes_per_s = peaks.at("dram_bytes_per_s");
  machine.l2_bytes_per_s = peaks.at("l2_bytes_per_s");
  machine.policies = object.at("policies").get<std::map<std::string, std::string>>();
  machine.slot_uses = texts(object.at("slot_uses"));
  machine.lane_buckets = texts(object.at("lane_buckets"));
  machine.warp_uses = texts(object.at("warp_uses"));
  machine.pipes = texts(object.at("pipes"));
  return machine;
}

Slots slots_of(const json& object) {
  return {object.at("cycles"),
          object.at("slots"),
          numbers(object.at("uses")),
          numbers(object.at("lanes")),
          numbers(object.at("pipe_cycles")),
          numbers(object.at("pipe_counts"))};
}

Cache cache_of(const json& object) { return {object.at("hits"), object.at("misses"), object.at("pending_hits")}; }

MemoryFigures memory_of(const json& object) {
  MemoryFigures figures;
  if (object.is_null()) return figures;
  figures.modelled = true;
  figures.global_accesses = object.at("global_accesses");
  figures.local_accesses = object.at("local_accesses");
  figures.shared_accesses = object.at("shared_accesses");
  figures.constant_accesses = object.at("constant_accesses");
  figures.atomic_accesses = object.at("atomic_accesses");
  figures.transactions = object.at("transactions");
  figures.transaction_bytes = object.at("transaction_bytes");
  figures.useful_bytes = object.at("useful_bytes");
  figures.shared_passes = object.at("shared_passes");
  figures.shared_least_passes = object.at("shared_least_passes");
  figures.stall_cycles = object.at("stall_cycles").get<std::map<std::string, double>>();
  figures.l1 = cache_of(object.at("l1"));
  figures.l2 = cache_of(object.at("l2"));
  const json& dram = object.at("dram");
  figures.dram_bytes = dram.at("bytes");
  figures.dram_utilisation = dram.at("utilisation");
  figures.row_hits = dram.at("row_hits");
  figures.row_misses = dram.at("row_misses");
  figures.row_conflicts = dram.at("row_conflicts");
  return figures;
}

Series series_of(const json& object) {
  Series series;
  series.interval = object.at("interval");
  for (const json& one : object.at("uses")) series.uses.push_back(numbers(one));
  for (const json& one : object.at("lanes")) series.lanes.push_back(numbers(one));
  for (const json& one : object.at("memory")) series.memory.push_back(one.get<std::array<double, 6>>());
  return series;
}

void add(Line& to, const Line& from) {
  to.issues += from.issues;
  to.lanes += from.lanes;
  to.cycles.resize(std::max(to.cycles.size(), from.cycles.size()));
  for (std::size_t i = 0; i < from.cycles.size(); ++i) to.cycles[i] += from.cycles[i];
}

// Each instruction, and their sums over lines of the source.
void add_lines(Launch& launch, const Function& function, const json& counts) {
  std::map<std::pair<std::string, std::uint32_t>, Line> source;
  for (const json& count : counts) {
    const json& instruction = function.instructions.at(count.at(0).get<std::size_t>());
    Line line{std::to_string(instruction.at("line").get<unsigned>()), instruction.at("text"), count.at(1), count.at(2),
              numbers(count.at(3))};
    if (instruction.contains("source")) {
      const std::string file = instruction["source"].at(0);
      const std::uint32_t number = instruction["source"].at(1);
      Line& sum = source[{file, number}];
      if (sum.place.empty()) {
        sum.place = std::filesystem::path(file).filename().string() + ":" + std::to_string(number);
        sum.text = function.sources.at(file).value(std::to_string(number), "");
      }
      add(sum, line);
    }
    launch.ptx.push_back(std::move(line));
  }
  for (auto& [unused, line] : source) launch.source.push_back(std::move(line));
}

Sample sample_of(const json& object) {
  Sample sample;
  sample.asked = true;
  sample.refusal = object.value("refusal", "");
  if (!sample.refusal.empty()) return sample;
  sample.waves = object.at("waves");
  sample.blocks = object.at("blocks");
  sample.of_blocks = object.at("of_blocks");
  sample.simulated_cycles = object.at("simulated_cycles");
  sample.low = object.at("low");
  sample.high = object.at("high");
  sample.confidence = object.at("confidence");
  return sample;
}

Launch launch_of(const json& object, const std::map<std::uint64_t, Function>& functions) {
  Launch launch;
  launch.number = object.at("number");
  launch.kernel = object.at("kernel");
  launch.failure = object.value("failure", "");
  launch.grid = object.at("grid").get<std::array<std::uint64_t, 3>>();
  launch.block = object.at("block").get<std::array<std::uint64_t, 3>>();
  launch.blocks = object.at("blocks");
  launch.registers = object.at("block_needs").at("registers");
  launch.shared = object.at("block_needs").at("shared");
  launch.cycles = object.at("cycles");
  launch.seconds = launch.simulated_seconds = object.at("seconds");
  if (object.contains("sample")) launch.sample = sample_of(object.at("sample"));
  if (launch.sample.estimated() && launch.cycles > 0)
    launch.simulated_seconds = launch.seconds * launch.sample.simulated_cycles / launch.cycles;
  launch.ipc = object.at("ipc");
  launch.occupancy = object.at("occupancy");
  launch.simd_efficiency = object.at("simd_efficiency");
  launch.f32_operations = object.at("f32_operations");
  launch.f64_operations = object.at("f64_operations");
  launch.warp_instructions = object.at("sm").at("warp_instructions");
  launch.thread_instructions = object.at("sm").at("thread_instructions");
  launch.sm = slots_of(object.at("sm"));
  for (const json& one : object.at("by_sm")) launch.by_sm.push_back(slots_of(one));
  launch.memory = memory_of(object.at("memory"));
  launch.series = series_of(object.at("series"));
  for (const json& lines : object.at("lines"))
    add_lines(launch, functions.at(lines.at("function").get<std::uint64_t>()), lines.at("counts"));
  return launch;
}

}  // namespace

double Line::all_cycles() const { return std::accumulate(cycles.begin(), cycles.end(), 0.0); }

Run parse_run(const std::string& text, const std::string& file) {
  Run run;
  run.file = file;
  std::map<std::uint64_t, Function> functions;
  bool has_machine = false;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    try {
      const json object = json::parse(line);
      const std::string kind = object.at("kind");
      if (kind == "machine") run.machine = machine_of(object);
      has_machine = has_machine || kind == "machine";
      if (kind == "function")
        functions[object.at("number").get<std::uint64_t>()] = {object.at("name"), object.at("instructions"),
                                                               object.at("sources")};
      if (kind == "launch") run.launches.push_back(launch_of(object, functions));
    } catch (const json::parse_error& error) {
      base::fail(ErrorCode::parse_error, "{}:{}: no report of a simulated device: it is no JSON at column {}", file,
                 number, error.byte);
    } catch (const json::exception& error) {
      const std::string_view text = error.what();  // "[json.exception.out_of_range.403] key 'kind' not found"
      const std::size_t end = text.find("] ");
      base::fail(ErrorCode::parse_error,
                 "{}:{}: no report of a simulated device: a value is missing or of a wrong kind ({})", file, number,
                 end == text.npos ? text : text.substr(end + 2));
    } catch (const std::out_of_range&) {
      base::fail(ErrorCode::parse_error, "{}:{}: a launch of a function that is not in the report", file, number);
    }
  }
  if (!has_machine)
    base::fail(ErrorCode::parse_error,
               "{}: no report of a simulated device; --device sim:MACHINE,report=FILE.json "
               "writes one",
               file);
  return run;
}

Run read_run(const std::filesystem::path& file) { return parse_run(base::read_file(file), file.string()); }

}  // namespace heddle::simreport
