#include "cli/job_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/kernel_name.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/toml.hpp"
#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/launch_options.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"

namespace heddle::cli {
namespace {

// One [[job]].
class Reader {
 public:
  Reader(const std::string& file, const toml::table& table) : file_(file), table_(table) {}

  JobText read() {
    JobText job;
    text("name", job.name);
    if (!job.name.empty()) name_ = fmt::format(", job '{}'", base::printable(job.name));
    text("file", job.file);
    text("kernel", job.kernel);
    text("grid", job.grid);
    text("block", job.block);
    whole("shared", job.shared);
    whole("count", job.count);
    constexpr double longest = 1e9, slowest = 1e-6, fastest = 1e12;
    number("arrival", job.arrival, 0, longest);
    number("rate", job.rate, slowest, fastest);
    whole("seed", job.seed);
    truth("any-type", job.any_type);
    if (table_.contains("ordered")) truth("ordered", job.ordered.emplace());
    arguments(job.arguments);
    const std::vector<std::string> keys = {"name",    "file", "kernel", "grid", "block",    "shared", "count",
                                           "arrival", "rate", "seed",   "args", "any-type", "ordered"};
    for (const auto& [key, node] : table_)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        refuse(node, "unknown key '{}'{} {}", key.str(), base::before_list(key.str(), keys), fmt::join(keys, ", "));
    if (job.file.empty()) refuse(table_, "a job without 'file', the .ptx or .cu file of its kernel");
    if (std::filesystem::path(job.file).is_relative())
      job.file = (std::filesystem::path(file_).parent_path() / job.file).string();
    job.folder = std::filesystem::path(file_).parent_path();
    job.place = place_of(table_);
    job.line = table_.source().begin.line;
    return job;
  }

 private:
  void text(const char* key, std::string& to) const {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return;
    // A shape of one number needs no quotes.
    if (const auto number = node->value_exact<std::int64_t>(); number && (key[0] == 'g' || key[0] == 'b'))
      to = std::to_string(*number);
    else if (node->is_string())
      to = text_of(*node);
    else if (key[0] == 'g' || key[0] == 'b')
      refuse(*node, "'{}' must be a whole number, or a text as \"64x32\"", key);
    else
      refuse(*node, "'{}' must be a text", key);
    if (to.empty()) refuse(*node, "'{}' must not be an empty text", key);
  }
  // What is a name of a file or a kernel later would end at a zero byte, and name another.
  std::string text_of(const toml::node& node) const {
    std::string value = *node.value<std::string>();
    if (value.find('\0') != value.npos) refuse(node, "a text must have no zero byte (\\u0000)");
    return value;
  }
  template <class Number>
  void whole(const char* key, Number& to) const {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::int64_t>();
    constexpr std::int64_t most = 1'000'000'000;
    if (!value || *value < 0 || *value > most) refuse(*node, "'{}' must be a whole number from 0 to {}", key, most);
    to = static_cast<Number>(*value);
  }
  void number(const char* key, double& to, double least, double most) const {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !(*value == 0 || (*value >= least && *value <= most)))
      refuse(*node, "'{}' must be {}a number from {} to {}", key, least > 0 ? "0, or " : "", least, most);
    to = *value;
  }
  void truth(const char* key, bool& to) const {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return;
    if (!node->is_boolean()) refuse(*node, "'{}' must be true or false", key);
    to = *node->value<bool>();
  }
  void arguments(std::vector<std::string>& to) const {
    const toml::node* const node = table_.get("args");
    if (node == nullptr) return;
    if (!node->is_array()) refuse(*node, "'args' must be a list of texts, as in [\"in:x.npy\", \"i32:7\"]");
    for (const toml::node& one : *node->as_array()) {
      if (!one.is_string()) refuse(one, "an argument must be a text, as in \"i32:7\"");
      to.push_back(text_of(one));
    }
  }

  std::string place_of(const toml::node& node) const {
    return fmt::format("{}:{}{}", file_, node.source().begin.line, name_);
  }
  template <typename... Args>
  [[noreturn]] void refuse(const toml::node& node, fmt::format_string<Args...> format, Args&&... args) const {
    base::fail(ErrorCode::parse_error, "{}: {}", place_of(node), fmt::format(format, std::forward<Args>(args)...));
  }

  const std::string& file_;
  const toml::table& table_;
  std::string name_;  // for messages, once it is known
};

std::vector<std::string> kernels_of(const ptx::Module& module) {
  std::vector<std::string> kernels;
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && !function.is_declaration) kernels.push_back(function.name);
  return kernels;
}

void tell_apart(std::vector<JobText>& jobs) {
  for (JobText& job : jobs) {
    const auto is_alike = [&](const JobText& other) {
      return job.name.empty() && other.name.empty() && other.file == job.file && other.kernel == job.kernel;
    };
    if (std::count_if(jobs.begin(), jobs.end(), is_alike) > 1) job.added = fmt::format(" (line {})", job.line);
  }
}

}  // namespace

std::vector<JobText> read_job_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string text = base::read_file(file);
  base::require_text(text, name, "TOML");
  std::vector<JobText> jobs;
  try {
    const toml::table table = base::parse_toml(text, name);
    for (const auto& [key, node] : table)
      if (key.str() != "job" || !node.is_array_of_tables())
        base::fail(ErrorCode::parse_error, "{}:{}: '{}'; a job file has [[job]] tables and nothing else", name,
                   node.source().begin.line, key.str());
    if (const toml::array* const list = table["job"].as_array())
      for (const toml::node& node : *list) jobs.push_back(Reader(name, *node.as_table()).read());
  } catch (const toml::parse_error& error) {
    base::fail(ErrorCode::parse_error, "{}:{}: {}", name, error.source().begin.line, error.description());
  }
  if (jobs.empty()) base::fail(ErrorCode::parse_error, "{} has no [[job]]", name);
  tell_apart(jobs);
  constexpr std::uint64_t most_launches = 1'000'000;
  std::uint64_t launches = 0;
  for (const JobText& job : jobs) launches += job.count;
  if (launches > most_launches)
    base::fail(ErrorCode::parse_error, "{} has {} launches; at most {} are taken", name, launches, most_launches);
  return jobs;
}

KernelText read_kernel(const JobText& job, const CompileOptions& options) {
  KernelText made;
  const bool is_ptx = std::filesystem::path(job.file).extension() == ".ptx";
  const std::string text = is_ptx ? base::read_file(job.file) : compile_to_ptx(job.file, options);
  if (is_ptx) base::require_text(text, job.file, "PTX");
  made.spec.module = std::make_shared<ptx::Module>(ptx::parse(text, job.file));
  ptx::verify(*made.spec.module, job.file);
  made.spec.entry = entry_of(kernels_of(*made.spec.module), job.kernel, job.file, job.words.kernel);
  made.spec.name = job.name.empty() ? base::readable_name(made.spec.entry) + job.added : job.name;
  made.spec.config = {parse_shape(job.grid, job.words.grid, largest_grid),
                      parse_shape(job.block, job.words.block, largest_block), job.shared};
  made.spec.ordered = job.ordered;
  made.spec.place = job.place;
  made.inputs = {job.file};
  made.arguments = parse_arguments(job.arguments, job.folder, job.words.argument);
  check_arguments(*made.spec.module, text, made.spec.entry, made.arguments, job.any_type);
  for (const ArgumentText& argument : made.arguments) {
    if (argument.kind == ArgumentText::Kind::in || argument.kind == ArgumentText::Kind::inout)
      made.inputs.push_back(job.folder / argument.file);
    made.spec.arguments.push_back(read_argument(argument, job.folder));
  }
  made.results =
      result_files(job.arguments, made.arguments, job.folder, {job.words.argument, "the folder of the job file"});
  return made;
}

}  // namespace heddle::cli
