#include "sweep/plan.hpp"

#include <map>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/system_limits.hpp"
#include "base/toml.hpp"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_runs = 1'000'000;

class Reader {
 public:
  Reader(std::string_view text, const fs::path& file) : file_(file), folder_(file.parent_path()) {
    try {
      root_ = base::parse_toml(text, file.string());
    } catch (const toml::parse_error& error) {
      fail(error.source().begin.line, std::string(error.description()));
    }
  }

  Plan read() {
    Plan plan{.file = file_, .results = fs::path(file_).replace_extension(".db")};
    for (const auto& [key, node] : root_) {
      const std::string_view name = key.str();
      if (name == "machines")
        machines_ = texts(node, "machines");
      else if (name == "results")
        plan.results = folder_ / text(node, "results");
      else if (name == "options")
        read_options(node);
      else if (name == "kernels")
        read_kernels(node);
      else
        fail(node.source().begin.line,
             "unknown key '" + std::string(name) + "'; there are machines, kernels, options and results");
    }
    if (machines_.empty()) fail(1, "machines is missing: a list of names, as [\"fermi-gtx480\"]");
    if (kernels_.empty()) fail(1, "kernels is missing: [[kernels]] with file and arguments");
    add_runs(plan);
    return plan;
  }

 private:
  struct Kernel {
    std::string name, file;
    std::vector<std::string> arguments;
  };

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    base::fail(ErrorCode::parse_error, "{}:{}: {}", file_.string(), line, what);
  }
  std::string text(const toml::node& node, const std::string& key) const {
    const auto value = node.value<std::string>();
    if (!value) fail(node.source().begin.line, key + " must be a text");
    if (value->empty()) fail(node.source().begin.line, key + " must not be an empty text");
    // Names of files would end there, and name another.
    if (value->find('\0') != value->npos) fail(node.source().begin.line, key + " must have no zero byte (\\u0000)");
    return *value;
  }
  std::vector<std::string> texts(const toml::node& node, const std::string& key) const {
    const toml::array* list = node.as_array();
    if (!list || list->empty()) fail(node.source().begin.line, key + " must be a list of one or more texts");
    std::vector<std::string> all;
    for (const toml::node& one : *list) all.push_back(text(one, "each of " + key));
    return all;
  }

  void read_options(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) fail(node.source().begin.line, "options must be a table, as scheduler = [\"lrr\", \"gto\"]");
    for (const auto& [key, values] : *table) {
      const std::string name(key.str());
      if (name == "report" || name == "trace")
        fail(values.source().begin.line, "options." + name + ": the sweep itself keeps what each run reports");
      options_.emplace_back(name, texts(values, "options." + name));
    }
  }

  void read_kernels(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (!list) fail(node.source().begin.line, "kernels must be tables: [[kernels]]");
    for (const toml::node& one : *list) {
      const toml::table* table = one.as_table();
      if (!table) fail(one.source().begin.line, "kernels must be tables: [[kernels]]");
      Kernel kernel;
      for (const auto& [key, value] : *table) {
        if (key.str() == "name")
          kernel.name = text(value, "name");
        else if (key.str() == "file")
          kernel.file = text(value, "file");
        else if (key.str() == "arguments")
          kernel.arguments = texts(value, "arguments");
        else
          fail(value.source().begin.line,
               "unknown key '" + std::string(key.str()) + "'; a kernel has name, file and arguments");
      }
      if (kernel.file.empty()) fail(one.source().begin.line, "file is missing");
      if (kernel.name.empty()) kernel.name = fs::path(kernel.file).stem().string();
      kernels_.push_back(std::move(kernel));
    }
  }

  // "a=x,b=y" for every combination; one empty text without options.
  std::vector<std::string> combinations() const {
    std::vector<std::string> all{""};
    for (const auto& [name, values] : options_) {
      std::vector<std::string> longer;
      for (const std::string& head : all)
        for (const std::string& value : values) longer.push_back(head + (head.empty() ? "" : ",") + name + "=" + value);
      all = std::move(longer);
      if (all.size() > most_runs) fail(1, "more than a million runs");
    }
    return all;
  }

  void add_runs(Plan& plan) {
    const std::vector<std::string> options = combinations();
    if (machines_.size() * kernels_.size() * options.size() > most_runs) fail(1, "more than a million runs");
    for (const std::string& machine : machines_) {
      for (const Kernel& kernel : kernels_) {
        for (const std::string& chosen : options) {
          PlannedRun run{plan.runs.size() + 1,  machine,          kernel.name, chosen,
                         folder_ / kernel.file, kernel.arguments, {}};
          run.key = key_of(run);
          plan.runs.push_back(std::move(run));
        }
      }
    }
  }

  // What a file contains; empty where it cannot be read. The run that needs it reports that.
  const std::string& digest(const fs::path& file) {
    const auto [found, is_new] = digests_.try_emplace(file.string());
    if (is_new) try {
        found->second = base::sha256_hex(base::read_file(file));
      } catch (const Error& error) {
        if (base::says_no_descriptors(error.what())) throw;  // it is there, and its runs are not those without it
      }
    return found->second;
  }

  std::string key_of(const PlannedRun& run) {
    base::Sha256 hash;
    for (const std::string& part : {run.machine, run.kernel, run.options}) hash.add_field(part);
    if (run.machine.find('/') != run.machine.npos || run.machine.ends_with(".toml"))
      hash.add_field(digest(folder_ / run.machine));
    hash.add_field(digest(run.source));
    for (const std::string& argument : run.arguments) {
      hash.add_field(argument);
      for (const char* kind : {"in:", "inout:"})
        if (argument.rfind(kind, 0) == 0) hash.add_field(digest(folder_ / argument.substr(argument.find(':') + 1)));
    }
    return hash.hex();
  }

  const fs::path file_, folder_;
  toml::table root_;
  std::vector<std::string> machines_;
  std::vector<Kernel> kernels_;
  std::vector<std::pair<std::string, std::vector<std::string>>> options_;
  std::map<std::string, std::string> digests_;
};

}  // namespace

std::string PlannedRun::device(const std::string& report) const {
  return "sim:" + machine + (options.empty() ? "" : "," + options) + ",report=" + report;
}

Plan parse_plan(std::string_view text, const fs::path& file) { return Reader(text, file).read(); }

Plan read_plan(const fs::path& file) { return parse_plan(base::read_file(file), fs::absolute(file)); }

}  // namespace heddle::sweep
