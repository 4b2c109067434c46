// heddle launch: one kernel on data in .npy files.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "base/npy.hpp"
#include "base/print_error.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/kernel_output.hpp"
#include "cli/launch_options.hpp"
#include "cli/launch_text.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/source.hpp"
#include "cli/source_options.hpp"
#include "cli/usage.hpp"
#include "heddle/runtime.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string file, entry, grid = "1", block = "1", blocks, processors, device, out_dir;
  std::vector<std::string> arguments;
  std::string check;  // kinds; empty: none
  std::uint32_t shared = 0;
  double timeout = 0;  // seconds; 0: none
  int repeat = 1;
  bool cooperative = false, json = false, any_type = false;
  CompileOptions compile;
};

// An array argument, and its data before the launch.
struct ArrayArgument {
  base::NpyArray initial;
  std::optional<Array<std::byte>> array;
};

struct Traffic {
  std::uint64_t read = 0, written = 0;
};

struct Outcome {
  double median = 0, best = 0;
  Traffic traffic;
  std::vector<std::filesystem::path> results;
};

class Job {
 public:
  explicit Job(const Options& options)
      : options_(options),
        shape_{.grid = parse_shape(options.grid, "--grid", largest_grid),
               .block = parse_shape(options.block, "--block", largest_block),
               .shared = options.shared,
               .cooperative = options.cooperative,
               .timed = true} {
    check_one_device("heddle launch", options.device);
    if (!options.blocks.empty()) shape_.blocks = parse_blocks(options.blocks, shape_.grid);
    if (!options.processors.empty()) shape_.processors = parse_processors(options.processors);
    for (const std::string& text : options.arguments) texts_.push_back(parse_argument(text));
    results_ = result_files(options.arguments, texts_, options.out_dir);
    check_results();
    runtime_.emplace(RuntimeOptions{.devices = options.device,
                                    .check = checks_of(options.check),
                                    .on_finding = [this](const std::string& text) { findings_.note(text); },
                                    .launch_timeout_ms = milliseconds_of(options.timeout)});
    check_limits();
  }

  Outcome run() {
    const Progress progress("running " + options_.entry);
    const Module module = load();
    const Kernel kernel = module.kernel(entry_of(module));
    refuse_early(kernel);
    note_lost_results(kernel);
    load_arrays();
    std::vector<double> seconds;
    for (int i = 0; i < options_.repeat; ++i) {
      if (i == 0 || has_inout_) reset_arrays();
      const std::vector<Argument> arguments = make_arguments();
      seconds.push_back(runtime_->launch_list(kernel, shape_, arguments).seconds());
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds.front(), traffic(kernel.info()), write_results()};
  }

  // Ends the runtime; what is left of --check's findings comes with that. Throws FoundMistakes.
  void end() {
    arrays_.clear();
    runtime_.reset();
    findings_.throw_if_any();
  }

 private:
  // Of the device that the launch goes to.
  void check_limits() {
    const DeviceInfo device = runtime_->devices().front();
    check_block_limits(options_.block, options_.shared, device);
    if (!shape_.processors.empty())
      of_option("--sms " + options_.processors,
                [&] { runtime_->device(device.id).queue({.processors = shape_.processors}); });
  }

  Module load() {
    if (!is_standard_input(options_.file)) return runtime_->load_file(options_.file, options_.compile);
    const Source source = read_standard_source();
    return source.is_ptx ? runtime_->load_ptx(source.text, source.name)
                         : runtime_->compile(source.text, source.name, options_.compile);
  }

  void check_results() const {
    std::vector<std::filesystem::path> inputs;
    if (!is_standard_input(options_.file)) inputs.emplace_back(options_.file);
    for (const ArgumentText& text : texts_)
      if (text.kind == ArgumentText::Kind::in || text.kind == ArgumentText::Kind::inout) inputs.push_back(text.file);
    std::vector<base::Output> outputs = base::outputs_of_devices(options_.device);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].empty()) continue;
      outputs.push_back({"--arg " + options_.arguments[i], results_[i]});
      if (options_.out_dir.empty()) base::require_folder_of(results_[i]);
      base::refuse_overwrite("--arg " + options_.arguments[i] + " to", results_[i], inputs);
    }
    check_outputs(outputs);
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (!results_[i].empty())
        base::refuse_other_kind("--arg " + options_.arguments[i] + " to", results_[i], base::FileKind::npy);
  }

  std::string entry_of(const Module& module) const {
    return cli::entry_of(module.kernel_names(), options_.entry, options_.file, "--entry");
  }

  // Whatever is wrong with the kernel, the shape or the arguments shall be told before any data is read: a launch of no
  // blocks finds it. Files come last, since they may be missing; of these, headers alone are read.
  void refuse_early(const Kernel& kernel) {
    launch_nothing(kernel, false);
    launch_nothing(kernel, true);
  }

  void launch_nothing(const Kernel& kernel, bool with_files) {
    std::vector<Array<std::byte>> empty;
    empty.reserve(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) empty.push_back(runtime_->array<std::byte>(0));
    std::vector<Argument> list;
    list.reserve(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const Argument array(empty[i]);
      list.push_back(!texts_[i].is_array() ? argument_of(texts_[i])
                     : options_.any_type || (!with_files && is_file(texts_[i]))
                         ? array
                         : array.with(element_of(type_of(texts_[i]))));
    }
    LaunchOptions nothing = shape_;
    nothing.blocks = BlockRange{0, 0};
    runtime_->launch_list(kernel, nothing, list).wait();
  }

  static bool is_file(const ArgumentText& text) {
    return text.kind == ArgumentText::Kind::in || text.kind == ArgumentText::Kind::inout;
  }
  static base::NpyType type_of(const ArgumentText& text) {
    return is_file(text) ? base::read_npy_header(text.file).type : text.type;
  }

  // What is surely a mistake: the result of an argument that says it has none. Repeats start from its file, too.
  void note_lost_results(const Kernel& kernel) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const Access access = kernel.info().parameters[i].access;
      if (texts_[i].kind != ArgumentText::Kind::in || (access != Access::write && access != Access::read_write))
        continue;
      has_inout_ = true;
      base::print_error(
          "heddle: note: kernel {} writes argument {}, --arg in:{}, and what it writes is not kept; "
          "inout:{} keeps it\n",
          kernel.info().signature, i + 1, base::printable(texts_[i].file.string()),
          base::printable(texts_[i].file.string()));
    }
  }

  void load_arrays() {
    arrays_.resize(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const ArgumentText& text = texts_[i];
      if (!text.is_array()) continue;
      ArrayArgument& array = arrays_[i];
      if (text.kind == ArgumentText::Kind::in || text.kind == ArgumentText::Kind::inout) {
        array.initial = base::read_npy(text.file);
      } else {
        array.initial = {text.type, text.shape, {}};
      }
      has_inout_ = has_inout_ || text.kind != ArgumentText::Kind::in;
      array.array = runtime_->array<std::byte>(array.initial.count() * base::byte_size(array.initial.type));
    }
  }

  // What the kernel saw the first time, for every repeat.
  void reset_arrays() {
    for (ArrayArgument& argument : arrays_) {
      if (!argument.array) continue;
      const std::span<std::byte> bytes = argument.array->write();
      if (argument.initial.data.empty()) {
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
      } else {
        std::copy(argument.initial.data.begin(), argument.initial.data.end(), bytes.begin());
      }
    }
  }

  static Argument argument_of(const ArgumentText& text) {
    if (text.kind == ArgumentText::Kind::null) return Argument(nullptr);
    return {text.scalar_kind, std::span<const std::byte>(text.value)};
  }

  std::vector<Argument> make_arguments() const {
    std::vector<Argument> list;
    list.reserve(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      list.push_back(arrays_[i].array ? argument_of(arrays_[i]) : argument_of(texts_[i]));
    }
    return list;
  }

  Argument argument_of(const ArrayArgument& array) const {
    const Argument made(*array.array);
    return options_.any_type ? made : made.with(element_of(array.initial.type));
  }

  // Whole arrays, by what the kernel was found to do with them.
  Traffic traffic(const KernelInfo& kernel) const {
    Traffic sum;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (!arrays_[i].array) continue;
      const Access access = kernel.parameters[i].access;
      const std::uint64_t bytes = arrays_[i].array->bytes();
      if (access != Access::none && access != Access::write) sum.read += bytes;
      if (access != Access::none && access != Access::read) sum.written += bytes;
    }
    return sum;
  }

  std::vector<std::filesystem::path> write_results() {
    std::vector<std::filesystem::path> written;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (results_[i].empty()) continue;
      ArrayArgument& argument = arrays_[i];
      const std::span<const std::byte> bytes = argument.array->read();
      argument.initial.data.assign(bytes.begin(), bytes.end());
      base::write_npy(results_[i], argument.initial);
      written.push_back(results_[i]);
    }
    return written;
  }

  const Options& options_;
  LaunchOptions shape_;
  std::vector<ArgumentText> texts_;
  std::vector<std::filesystem::path> results_;  // empty: nothing is written
  Findings findings_;
  std::optional<Runtime> runtime_;
  std::vector<ArrayArgument> arrays_;
  bool has_inout_ = false;
};

// A launch of one thread is rarely meant, and its results look like those of a kernel that does little.
void note_missing_shape(const Options& options, bool grid, bool block) {
  if (grid && block) return;
  const std::uint64_t blocks = parse_shape(options.grid, "--grid", largest_grid).count();
  const std::uint64_t threads = parse_shape(options.block, "--block", largest_block).count();
  const std::string note = fmt::format("heddle: note: ran {} of {}; {} otherwise\n", base::counted(blocks, "block"),
                                       base::counted(threads, "thread"),
                                       grid    ? "--block says"
                                       : block ? "--grid says"
                                               : "--grid and --block say");
  std::fputs(note.c_str(), stderr);  // which may be closed
}

// Whether the time may be an estimate.
bool samples(const Options& options) {
  return options.device.starts_with("sim:") && options.device.find(",sample=") != std::string::npos;
}

void print_text(const Options& options, const Outcome& outcome) {
  if (options.repeat > 1) {
    fmt::print("time       {} (median of {}; best {})\n", base::format_duration(outcome.median), options.repeat,
               base::format_duration(outcome.best));
  } else {
    fmt::print("time       {}\n", base::format_duration(outcome.median));
  }
  if (samples(options))
    fmt::print("           by estimate where blocks were sampled; report=text shows the interval\n");
  const Traffic& traffic = outcome.traffic;
  fmt::print("arrays     {} read, {} written (whole arrays, by inferred access)\n", base::format_bytes(traffic.read),
             base::format_bytes(traffic.written));
  const std::uint64_t moved = traffic.read + traffic.written;
  if (options.blocks.empty() && outcome.median > 0 && moved > 0) {
    fmt::print("bandwidth  {}\n", base::format_bandwidth(static_cast<double>(moved) / outcome.median));
  }
  for (const auto& result : outcome.results) fmt::print("result     {}\n", base::printable(result.string()));
}

void print_json(const Options& options, const Outcome& outcome) {
  nlohmann::json json = {{"seconds", outcome.median},
                         {"best_seconds", outcome.best},
                         {"repeats", options.repeat},
                         {"bytes_read", outcome.traffic.read},
                         {"bytes_written", outcome.traffic.written},
                         {"results", nlohmann::json::array()}};
  if (samples(options)) json["sampled"] = true;
  for (const auto& result : outcome.results) json["results"].push_back(result.string());
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));  // a path may be any bytes
}

}  // namespace

void add_launch(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("launch", "runs one kernel on data in .npy files");
  command->add_option("file", options->file, "a .ptx or .cu file, or - for standard input")->required();
  command->add_option("--entry", options->entry, "the kernel; may be left out where there is only one");
  command->add_option("--grid", options->grid, "blocks: X, XxY or X,Y,Z")->capture_default_str();
  command->add_option("--block", options->block, "threads of a block, in the same form")->capture_default_str();
  command->add_option("--shared", options->shared, "bytes of dynamic shared memory")->capture_default_str();
  command
      ->add_option(
          "--arg", options->arguments,
          "one for each parameter, in order: i32:7, f32:2.5, hex:00ff, null, in:x.npy, inout:y.npy (written to "
          "y.out.npy), out:z.npy:f32:1024x768, zeros:u8:100")
      ->allow_extra_args(false);
  command->add_flag("--any-type", options->any_type,
                    "arrays whose elements are of another type than the kernel's are meant");
  command->add_option("--device", options->device, "id of the device; default: the first");
  command->add_option("--blocks", options->blocks, "BEGIN:END, only these blocks of the grid");
  command->add_option("--sms", options->processors,
                      "only these SMs of a GPU (whole pairs, as in 0-31), or these workers of the CPU device");
  command->add_flag("--cooperative", options->cooperative, "blocks may synchronise across the grid");
  add_check_option(*command, options->check);
  add_timeout_option(*command, options->timeout);
  command->add_option("--repeat", options->repeat, "times to run it")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--out-dir", options->out_dir, "folder for results; made where it is missing")
      ->check([](const std::string& text) { return text.empty() ? "expected the name of a folder" : ""; });
  command->add_flag("--json", options->json, "figures as JSON; what the kernel prints goes to stderr");
  add_compile_options(*command, options->compile);
  command->callback([options, command] {
    std::optional<KernelOutputToStderr> to_stderr;
    if (options->json) to_stderr.emplace();
    Job job(*options);
    const Outcome outcome = job.run();
    to_stderr.reset();
    note_missing_shape(*options, command->count("--grid") > 0, command->count("--block") > 0);
    options->json ? print_json(*options, outcome) : print_text(*options, outcome);
    job.end();
  });
}

}  // namespace heddle::cli
