#include "programs/run/run.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/link_target.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/overwrite.hpp"
#include "base/printable.hpp"
#include "base/timeline_file.hpp"
#include "base/trace_claim.hpp"
#include "base/variables.hpp"
#include "device/cuda/library.hpp"
#include "programs/places.hpp"
#include "programs/run/inspection.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;

void set(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + '='); });
  if (!value.empty()) environment.push_back(name + '=' + value);
}

std::string get(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name + '=')) return entry.substr(name.size() + 1);
  return {};
}

std::uint64_t number_of_blocks(const std::string& text) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 31) - 1;  // as of HEDDLE_RUN_SLICE
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0 || value > most)
    base::fail(ErrorCode::invalid_argument, "--slice {}: expected a number of blocks from 1 to {}", text, most);
  return value;
}

std::uint64_t milliseconds(const std::string& text) {
  constexpr double longest = 1e9;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || !(seconds >= 0.001 && seconds <= longest))
    base::fail(ErrorCode::invalid_argument, "--timeout {}: expected a number of seconds from 0.001 to 1e9", text);
  return static_cast<std::uint64_t>(std::llround(seconds * 1e3));
}

Checks checks(const std::string& kinds) {
  if (kinds.empty())
    base::fail(ErrorCode::invalid_argument,
               "--check=: expected kinds of checks, as memory,race, or all; --check alone is memory");
  try {
    return Checks::parse(kinds);
  } catch (const Error& error) {
    base::fail(error.code(), "--check={}: {}", kinds, error.what());
  }
}

// Only the words are looked at: which devices there are is found out by the program's libraries.
std::string devices(const std::string& list) {
  if (const std::string why = base::complaint_of_devices(list); !why.empty())
    base::fail(ErrorCode::invalid_argument, "--device {}: {}", list, why);
  return list;
}

// Most often a variable of the shell that is not set.
void refuse_empty(const std::string& option, const std::string& value) {
  if (!value.empty()) return;
  const std::string_view instead = option == "--device"    ? "expected cpu, cuda:0 or the like, or several: cuda:0,cpu"
                                   : option == "--slice"   ? "expected a number of blocks"
                                   : option == "--policy"  ? "direct is the usual one"
                                   : option == "--timeout" ? "expected a number of seconds"
                                                           : "expected the name of a file";
  base::fail(ErrorCode::invalid_argument, "{}: its value is empty; {}", option, instead);
}

// Options, and variables in their place. The runtime would refuse both, and the program find no device.
void require_one_cutter(const std::vector<std::string>& environment, const RunOptions& options) {
  const std::string slice = options.slice != 0 ? std::to_string(options.slice) : get(environment, "HEDDLE_RUN_SLICE");
  const std::string policy = options.policy.empty() ? get(environment, "HEDDLE_RUN_POLICY") : options.policy;
  if (slice.empty() || slice == "0" || policy.empty()) return;
  base::fail(ErrorCode::invalid_argument,
             "--slice {} and --policy {}: a policy decides itself how launches are cut; slice:{} is one", slice, policy,
             slice);
}

// The program would run to its end before anyone missed it. `given`: the option or the variable.
void require_trace_place(const std::string& given, const std::string& name) {
  std::error_code error;
  if (fs::is_directory(name, error))
    base::fail(ErrorCode::invalid_argument, "{}{}: it is a folder; name a file", given, name);
  if (fs::is_fifo(name, error)) base::fail(ErrorCode::invalid_argument, "{}{}: it is a pipe; name a file", given, name);
  const fs::path folder = fs::absolute(name).parent_path();
  if (!fs::is_directory(folder, error))
    base::fail(ErrorCode::invalid_argument, "{}{}: there is no folder {}", given, name, folder.string());
}

// Before the program starts, which may never look at them.
void check_variables(const std::vector<std::string>& environment) {
  for (const base::Variable& variable : base::variables()) {
    const std::string why = base::complaint(variable, get(environment, std::string(variable.name)));
    if (!why.empty()) throw Error(ErrorCode::invalid_argument, why);
  }
  const std::string trace = get(environment, "HEDDLE_RUN_TRACE");
  if (!trace.empty()) require_trace_place("HEDDLE_RUN_TRACE=", trace);
}

fs::path find(const std::string& program) {
  std::error_code error;
  if (fs::is_regular_file(program, error)) return fs::absolute(program);
  if (const std::string found = find_program(program); !found.empty()) return found;
  base::fail(ErrorCode::not_found, "there is no program '{}'", program);
}

// Compilers take no name with a line end in it. Where that is in a folder above the current one, the name as it was
// given has none.
fs::path name_for_compilers(const fs::path& named, const fs::path& given) {
  std::error_code error;
  if (!base::has_line_end(named) || base::has_line_end(given) || !fs::is_regular_file(given, error)) return named;
  return given.native().starts_with('-') ? "." / given : given;
}

// The options are those that the help text begins its lines with.
std::string meant_option(const std::string& name) {
  std::vector<std::string> names;
  const std::string help = run_help();
  for (std::size_t at = help.find("\n  --"); at != help.npos; at = help.find("\n  --", at + 1))
    names.push_back(help.substr(at + 3, help.find_first_of(" [=\n", at + 3) - at - 3));
  const std::string meant = base::did_you_mean(name, names);
  return meant.empty() ? ";" : meant;
}

}  // namespace

RunOptions parse_run_options(const std::vector<std::string>& words) {
  RunOptions options;
  std::set<std::string> given;
  std::size_t i = 0;
  for (; i < words.size() && words[i].starts_with("-") && words[i] != "-"; ++i) {
    if (words[i] == "--") {
      ++i;
      break;
    }
    const auto equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (!given.insert(name).second)
      base::fail(ErrorCode::invalid_argument, "{} is given twice; once is expected", name);
    const auto value = [&] {
      if (equals == std::string::npos && i + 1 == words.size())
        base::fail(ErrorCode::invalid_argument, "{} lacks its value", name);
      std::string text = equals != std::string::npos ? words[i].substr(equals + 1) : words[++i];
      refuse_empty(name, text);
      return text;
    };
    if (name == "--device")
      options.device = devices(value());
    else if (name == "--slice")
      options.slice = number_of_blocks(value());
    else if (name == "--policy")
      options.policy = value();
    else if (name == "--timeout")
      options.timeout_ms = milliseconds(value());
    else if (name == "--trace")
      options.trace = value();
    else if (name == "--check")
      options.check = equals == std::string::npos ? Checks(true) : checks(words[i].substr(equals + 1));
    else if (name == "--help" || name == "-h")
      options.help = true;
    else
      base::fail(ErrorCode::invalid_argument,
                 "{} is not an option of heddle run{} heddle run --help explains the usage", name, meant_option(name));
  }
  if (options.help) return options;
  require_one_cutter({}, options);
  if (i == words.size())
    base::fail(ErrorCode::invalid_argument, "no program is named: heddle run [options] PROGRAM [arguments]");
  options.program = words[i];
  options.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
  return options;
}

std::string run_help() {
  return R"(heddle run: runs a CUDA program, unchanged, on whatever this machine has.

  heddle run [options] PROGRAM [arguments]     a program of CUDA; on the CPU its kernels are taken from the PTX in it
  heddle run [options] FILE.cu [arguments]     compiles it first (heddle cc; kept in the cache)

  --device IDS       cpu, cuda:0, or several: cuda:0,cpu (default: the GPUs that are found, else the CPU)
  --slice N          cuts launches into ranges of N blocks, where their blocks are independent
  --policy NAME      when launches are submitted: direct (at once), slice:BLOCKS (in ranges of so many blocks),
                     bounded:MICROSECONDS (no more predicted work in flight on a device than that)
  --check[=KINDS]    looks for mistakes; exit code 99 when there was one. KINDS are of memory (bad accesses; the
                     default), race, init, sync, api and leak, as in --check=memory,race, or all
  --timeout SECONDS  ends a launch that runs for longer, and says where its warps stood (on the CPU)
  --trace FILE       writes a timeline of launches, copies and fills: .svg a picture, .dot a graph, else JSON for
                     Perfetto, chrome://tracing, heddle timeline, heddle graph and heddle metrics

Exit code, signals and terminal are the program's own.
)";
}

bool runs_through_driver(const RunOptions& options, const Inspection& inspection, bool has_gpus) {
  const bool gpus_alone =
      options.device.empty() || options.device == "gpus" ||
      (options.device.find("cpu") == std::string::npos && options.device.find("interp") == std::string::npos);
  if (!has_gpus || !gpus_alone || options.slice != 0 || options.timeout_ms != 0 || options.check ||
      (!options.policy.empty() && options.policy != "direct"))
    return false;
  return !inspection.obstacle.empty() || !inspection.shares_runtime;
}

std::string visible_devices(const std::string& ids, const std::string& present) {
  if (ids.empty() || ids == "gpus") return {};
  std::vector<std::string> visible;
  if (!present.empty()) boost::split(visible, present, boost::is_any_of(","));
  std::vector<std::string> wanted;
  boost::split(wanted, ids, boost::is_any_of(","));
  std::string result;
  for (const std::string& id : wanted) {
    const std::string number = id.substr(std::string_view("cuda:").size());
    if (!result.empty()) result += ',';
    if (visible.empty()) {
      result += number;
      continue;
    }
    const auto index = static_cast<std::size_t>(std::strtoull(number.c_str(), nullptr, 10));
    if (index >= visible.size())
      base::fail(ErrorCode::invalid_argument, "--device {}: CUDA_VISIBLE_DEVICES={} leaves no {}", ids, present, id);
    result += visible[index];
  }
  return result;
}

std::vector<std::string> run_environment(const RunOptions& options, std::vector<std::string> environment,
                                         const fs::path& libraries, const std::vector<std::string>& to_preload) {
  const auto in_front = [&](const std::string& name, const std::string& value) {
    const std::string present = get(environment, name);
    set(environment, name, present.empty() ? value : value + ':' + present);
  };
  in_front("LD_LIBRARY_PATH", libraries.string());
  for (const std::string& name : to_preload) in_front("LD_PRELOAD", (libraries / name).string());
  if (!options.device.empty()) set(environment, "HEDDLE_RUN_DEVICE", options.device);
  if (options.slice != 0) set(environment, "HEDDLE_RUN_SLICE", std::to_string(options.slice));
  if (options.timeout_ms != 0) set(environment, "HEDDLE_RUN_TIMEOUT_MS", std::to_string(options.timeout_ms));
  if (!options.policy.empty()) set(environment, "HEDDLE_RUN_POLICY", options.policy);
  if (options.check) set(environment, "HEDDLE_RUN_CHECK", options.check.names());
  // The program may change its folder.
  if (!options.trace.empty()) {
    const std::string trace = fs::absolute(options.trace).string();
    set(environment, "HEDDLE_RUN_TRACE", trace);
    set(environment, "HEDDLE_RUN_TRACE_CLAIM", base::claim_of(trace));
  }
  return environment;
}

namespace {

// Before the program starts, which would run to its end before anyone missed the timeline. The file is as it was until
// a process of the program writes it (base/trace_claim.hpp).
void require_room(const fs::path& trace) {
  std::error_code error;
  const auto refuse = [&](const char* why) {
    base::fail(ErrorCode::io_error, "--trace {}: the timeline cannot be written: {}", trace.string(), why);
  };
  if (fs::exists(trace, error) && !fs::is_regular_file(trace, error)) return;
  base::require_folder_of(trace);
  const fs::path target = base::link_target(trace);
  const bool is_there = ::access(target.c_str(), F_OK) == 0;
  if (!is_there && errno != ENOENT) refuse(std::strerror(errno));
  if (is_there && ::access(target.c_str(), W_OK) != 0) refuse(std::strerror(errno));
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!is_there && ::access(folder.c_str(), W_OK | X_OK) != 0) refuse(std::strerror(errno));
  // A file without a name leaves nothing, whatever happens. Where the file system has none, the disk is not full until
  // the end.
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool is_written = ::write(file, "\n", 1) == 1;
  const int why = errno;
  ::close(file);
  if (!is_written) refuse(std::strerror(why));
}

// Of a script whose interpreter is not there; else empty.
std::string missing_interpreter(const fs::path& program) {
  constexpr std::size_t longest_line = 4096;
  const std::string head = base::read_beginning(program, longest_line);
  if (!head.starts_with("#!")) return {};
  const std::size_t begin = head.find_first_not_of(" \t", 2);
  if (begin == head.npos) return {};
  const std::string interpreter = head.substr(begin, head.find_first_of(" \t\r\n", begin) - begin);
  std::error_code error;
  return fs::exists(interpreter, error) ? std::string() : interpreter;
}

// Programs whose names stand among the arguments are inputs, too: of Python, for example.
void check_trace(const RunOptions& options, const fs::path& named, const fs::path& program) {
  if (options.trace.empty()) return;
  require_trace_place("--trace ", options.trace);
  std::vector<fs::path> inputs{named, program};
  inputs.insert(inputs.end(), options.arguments.begin(), options.arguments.end());
  base::refuse_overwrite("--trace", options.trace, inputs);
  base::refuse_to_replace_by_timeline("--trace", options.trace);
  std::vector<base::Output> outputs = base::outputs_of_devices(options.device);
  outputs.push_back({"--trace", options.trace});
  base::refuse_same_outputs(outputs);
}

}  // namespace

void run_program(const RunOptions& given, const std::function<void()>& compiled,
                 const std::function<void()>& before_start) {
  std::vector<std::string> variables = environment();
  RunOptions options = given;
  check_variables(variables);
  const fs::path named = find(options.program);
  check_trace(options, named, named);
  const fs::path program =
      named.extension() == ".cu" ? compiled_program(name_for_compilers(named, options.program)) : named;
  if (compiled) compiled();
  check_trace(options, named, program);
  const Inspection inspection = inspect_program(program);
  const fs::path interposer = interposer_folder();
  const bool through_driver =
      !interposer.empty() && runs_through_driver(options, inspection, device::cuda::has_driver_and_gpu());
  // A tenant's launches are cut and placed by Heddle's own libraries; in front of NVIDIA's, they are held back.
  if (!through_driver && options.policy.empty() && !get(variables, "HEDDLE_TENANT").empty()) options.policy = "lithos";
  require_one_cutter(variables, options);
  if (!through_driver && !inspection.obstacle.empty()) throw Error(ErrorCode::unsupported, inspection.obstacle);
  if (through_driver) {
    if (const std::string visible = visible_devices(options.device, get(variables, "CUDA_VISIBLE_DEVICES"));
        !visible.empty())
      set(variables, "CUDA_VISIBLE_DEVICES", visible);
    std::vector<std::string> to_preload = inspection.to_preload;
    std::erase_if(to_preload, [](const std::string& name) { return !name.starts_with("libcuda.so"); });
    variables = run_environment(options, variables, interposer, to_preload);
  } else {
    if (!inspection.closed_library.empty())
      base::log_warn(
          "{} needs {}, a library of NVIDIA's whose kernels are machine code; Heddle runs PTX, so that calls of this "
          "library fail or end the program",
          program.string(), inspection.closed_library);
    std::vector<std::string> to_preload = inspection.to_preload;
    if (!inspection.sanitized) to_preload.emplace_back("libheddle_open.so");
    variables = run_environment(options, variables, library_folder(), to_preload);
    // Triton has ptxas make machine code, which runs on GPUs alone.
    const std::string ptxas = ptxas_program().string();
    if (!ptxas.empty() && get(variables, "TRITON_PTXAS_PATH").empty()) set(variables, "TRITON_PTXAS_PATH", ptxas);
  }
  if (get(variables, "HEDDLE_RUN_PROGRESS").empty()) set(variables, "HEDDLE_RUN_PROGRESS", "1");
  if (!options.trace.empty()) require_room(options.trace);
  std::vector<char*> arguments{const_cast<char*>(options.program.c_str())}, environment;
  for (const std::string& word : options.arguments) arguments.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  if (before_start) before_start();
  ::execve(program.c_str(), arguments.data(), environment.data());
  const int error = errno;
  if (const std::string interpreter = missing_interpreter(program); error == ENOENT && !interpreter.empty())
    base::fail(ErrorCode::not_found, "{} cannot be started: there is no {}, which its first line names",
               program.string(), interpreter);
  errno = error;
  base::fail(ErrorCode::io_error, "{} cannot be started: {}", program.string(), std::strerror(errno));
}

}  // namespace heddle::programs
