#include "base/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/byte_count.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/nearest.hpp"

namespace heddle::base {
namespace {

using Kind = Variable::Kind;

constexpr std::uint64_t day_ms = 86'400'000;

constexpr std::array table{
    Variable{.name = "HEDDLE_CACHE_DIR", .meaning = "folder for compiled kernels", .effect = "caches are in {}"},
    Variable{
        .name = "HEDDLE_CLANG", .meaning = "the clang that compiles CUDA C++", .effect = "CUDA C++ is compiled by {}"},
    Variable{.name = "HEDDLE_COMPILER",
             .kind = Kind::word,
             .meaning = "what compiles CUDA C++: clang or nvrtc",
             .effect = "CUDA C++ is compiled by {}, unless an option says otherwise",
             .words = "clang,nvrtc"},
    Variable{.name = "HEDDLE_CPU_FEATURES",
             .kind = Kind::removed,
             .meaning = "features of the processor to do without, as -avx512f",
             .effect = "code for the CPU device does without {}"},
    Variable{.name = "HEDDLE_CPU_WORKERS",
             .kind = Kind::number,
             .meaning = "threads of the CPU device",
             .effect = "the CPU device has {} workers, unless the program says otherwise",
             .least = 1,
             .most = 1024},
    Variable{.name = "HEDDLE_DAEMON",
             .meaning = "the socket of the daemon that divides the devices between tenants",
             .effect = "tenants and commands find the daemon at {}"},
    Variable{.name = "HEDDLE_DEADLOCK_MS",
             .kind = Kind::number,
             .meaning = "how long kernels may wait for nothing before that is a deadlock",
             .effect = "kernels that wait for nothing for {} ms are ended as a deadlock",
             .least = 1,
             .most = day_ms},
    Variable{.name = "HEDDLE_DUMP_IR",
             .kind = Kind::truth,
             .meaning = "prints the LLVM IR of kernels",
             .effect = "the LLVM IR of kernels is printed",
             .off = "no LLVM IR is printed"},
    Variable{.name = "HEDDLE_LOG",
             .kind = Kind::word,
             .meaning = "messages: trace, debug, info, warning, error or off",
             .effect = "messages from level {} on",
             .words = "trace,debug,info,warning,warn,error,critical,off"},
    Variable{.name = "HEDDLE_MEMORY_LIMIT",
             .kind = Kind::bytes,
             .meaning = "how much of each device's memory this process may take: bytes, or 20G",
             .effect = "this process may take {} of each device's memory",
             .least = 1 << 20},
    Variable{.name = "HEDDLE_NVRTC", .meaning = "NVIDIA's NVRTC: the library or its folder", .effect = "NVRTC is {}"},
    Variable{.name = "HEDDLE_PTXAS",
             .meaning = "NVIDIA's assembler, which Heddle's own tests ask",
             .effect = "tests ask {}"},
    Variable{.name = "HEDDLE_RUN_CHECK",
             .kind = Kind::checks,
             .meaning = "heddle run --check, for the libraries of the program",
             .effect = "mistakes of CUDA programs are looked for: {}",
             .off = "CUDA programs are not checked"},
    Variable{.name = "HEDDLE_RUN_DEVICE",
             .kind = Kind::devices,
             .meaning = "heddle run --device",
             .effect = "CUDA programs see {}"},
    Variable{.name = "HEDDLE_RUN_POLICY",
             .meaning = "heddle run --policy",
             .effect = "launches of CUDA programs are submitted by {}"},
    Variable{.name = "HEDDLE_RUN_PROGRESS",
             .kind = Kind::truth,
             .meaning = "CUDA programs show on a terminal that they wait; heddle run sets it",
             .effect = "CUDA programs show on a terminal that they wait",
             .off = "CUDA programs do not show that they wait"},
    Variable{.name = "HEDDLE_RUN_SLICE",
             .kind = Kind::number,
             .meaning = "heddle run --slice",
             .effect = "launches of CUDA programs are cut into ranges of {} blocks",
             .least = 1,
             .most = (std::uint64_t{1} << 31) - 1},  // nothing is cut above: no dimension of a grid is larger
    Variable{.name = "HEDDLE_RUN_TIMEOUT_MS",
             .kind = Kind::number,
             .meaning = "heddle run --timeout",
             .effect = "launches of CUDA programs are ended after {} ms",
             .least = 1,
             .most = 1'000'000'000'000},
    Variable{
        .name = "HEDDLE_RUN_TRACE", .meaning = "heddle run --trace", .effect = "CUDA programs write a timeline to {}"},
    Variable{.name = "HEDDLE_RUN_TRACE_CLAIM",
             .meaning = "only the first process writes that file, others beside it; heddle run sets it",
             .effect = "each process of a program has a timeline of its own ({})"},
    Variable{.name = "HEDDLE_TENANT",
             .meaning = "the tenant that a process is, as CLASS:QUOTA:NAME; heddle tenant run sets it",
             .effect = "programs are the tenant {}"},
    Variable{
        .name = "HEDDLE_TENANT_PROCESSORS",
        .kind = Kind::word,
        .meaning =
            "how many processors CUDA programs of tenants see: those of their quota, or of the device (as without it "
            "on NVIDIA's library)",
        .effect = "CUDA programs of tenants see the processors of their {}",
        .words = "quota,device"},
    Variable{.name = "HEDDLE_TUNE",
             .kind = Kind::truth,
             .meaning = "trees of kernels search for a configuration; heddle tune sets it",
             .effect = "trees of kernels search for a configuration where their runs are unbalanced",
             .off = "trees of kernels only move work where their runs are unbalanced"},
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == list.npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::optional<bool> truth(std::string_view value) {
  const std::string word = lower(value);
  for (const std::string_view on : {"1", "true", "yes", "on"})
    if (word == on) return true;
  for (const std::string_view off : {"0", "false", "no", "off"})
    if (word == off) return false;
  return {};
}

std::optional<std::uint64_t> number(std::string_view value) {
  std::uint64_t result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size()) return {};
  return result;
}

bool is_one_of(std::string_view word, std::string_view words) {
  const std::vector<std::string_view> all = split(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string listed(std::string_view words) {
  std::string text;
  const std::vector<std::string_view> all = split(words);
  for (std::size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " or " : ", ") + std::string(all[i]);
  return text;
}

std::string range_of(const Variable& variable) {
  if (variable.most != ~std::uint64_t{0}) return fmt::format("a number from {} to {}", variable.least, variable.most);
  return fmt::format("a number, {} or more", variable.least);
}

std::optional<Checks> checks(std::string_view value) {
  if (const auto on = truth(value)) return Checks(*on);
  try {
    return Checks::parse(lower(value));
  } catch (const Error&) {
    return {};
  }
}

// What the variable takes, if `value` is not that.
std::string expected_instead_of(const Variable& variable, std::string_view value) {
  switch (variable.kind) {
    case Kind::truth: return truth(value) ? "" : "1, true, yes or on; or 0, false, no or off";
    case Kind::number: {
      const auto given = number(value);
      return given && *given >= variable.least && *given <= variable.most ? "" : range_of(variable);
    }
    case Kind::bytes: {
      const auto given = parse_bytes(value);
      return given && *given >= variable.least && *given <= variable.most
                 ? ""
                 : fmt::format("an amount from {} on, as 20G, 20 GiB or a number of bytes",
                               format_bytes(variable.least));
    }
    case Kind::checks:
      return checks(value) ? "" : "1, true, yes or on; 0, false, no or off; or kinds of checks, as memory,race, or all";
    case Kind::word: return is_one_of(lower(value), variable.words) ? "" : listed(variable.words);
    case Kind::devices: return {};  // complaint() has a sentence of its own
    case Kind::removed: {
      const std::vector<std::string_view> names = split(value);
      const bool good =
          std::all_of(names.begin(), names.end(), [](auto name) { return name.size() > 1 && name[0] == '-'; });
      return good ? "" : "names with a - before each, as -avx512f,-fma";
    }
    case Kind::text: return {};
  }
  return {};
}

// The value in the environment, which the variable takes.
std::optional<std::string> checked(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return {};
  const auto found = std::find_if(table.begin(), table.end(), [&](const Variable& v) { return v.name == name; });
  if (found == table.end()) fail(ErrorCode::internal, "{} is not in the table of variables", name);
  if (const std::string why = complaint(*found, value); !why.empty()) throw Error(ErrorCode::invalid_argument, why);
  return value;
}

}  // namespace

std::span<const Variable> variables() { return table; }

std::string complaint(const Variable& variable, std::string_view value) {
  if (value.empty()) return {};
  if (variable.kind == Kind::devices) {
    const std::string why = complaint_of_devices(value);
    return why.empty() ? "" : fmt::format("{}={}: {}.", variable.name, value, why);
  }
  const std::string expected = expected_instead_of(variable, value);
  return expected.empty() ? "" : fmt::format("{}={}: expected {}.", variable.name, value, expected);
}

std::string effect_of(const Variable& variable, std::string_view value) {
  if (value.empty()) return "as if it were not set";
  if (variable.kind == Kind::truth) return std::string(truth(value).value_or(false) ? variable.effect : variable.off);
  std::string shown(value);
  if (variable.kind == Kind::bytes && number(value)) shown += " bytes";
  if (variable.kind == Kind::checks) {
    shown = checks(value).value_or(false).names();
    if (shown.empty()) return std::string(variable.off);
  }
  std::string text(variable.effect);
  if (const std::size_t at = text.find("{}"); at != text.npos) text.replace(at, 2, shown);
  return text;
}

void check_variables() {
  for (const Variable& variable : table) static_cast<void>(checked(variable.name));
}

std::optional<bool> truth_variable(std::string_view name) {
  const auto value = checked(name);
  return value ? truth(*value) : std::nullopt;
}

std::optional<std::uint64_t> number_variable(std::string_view name) {
  const auto value = checked(name);
  if (!value) return {};
  const auto found = std::find_if(table.begin(), table.end(), [&](const Variable& v) { return v.name == name; });
  return found->kind == Kind::bytes ? parse_bytes(*value) : number(*value);
}

std::optional<Checks> checks_variable(std::string_view name) {
  const auto value = checked(name);
  return value ? checks(*value) : std::nullopt;
}

std::optional<std::string> text_variable(std::string_view name) {
  auto value = checked(name);
  const auto found = std::find_if(table.begin(), table.end(), [&](const Variable& v) { return v.name == name; });
  if (value && found->kind == Kind::word) value = lower(*value);
  return value;
}

std::vector<std::string_view> split_devices(std::string_view list) {
  std::vector<std::string_view> ids;
  while (true) {
    std::size_t comma = list.find(',');
    while (list.starts_with("sim:") && comma != list.npos) {
      const std::size_t next = list.find(',', comma + 1);
      if (list.substr(comma, next - comma).find('=') == list.npos) break;
      comma = next;
    }
    ids.push_back(list.substr(0, comma));
    if (comma == list.npos) return ids;
    list.remove_prefix(comma + 1);
  }
}

std::string complaint_of_devices(std::string_view list) {
  if (list == "gpus") return {};
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  const std::vector<std::string_view> ids = split_devices(list);
  for (const std::string_view id : ids) {
    if (std::count(ids.begin(), ids.end(), id) > 1)
      return id.empty() ? "a name is empty between commas"
                        : fmt::format("'{}' is there more than once; a program sees each device once", id);
    if (id.size() > 4 && id.starts_with("sim:")) continue;  // a preset, or a file
    if (id == "cpu" || id == "interp" || (id.starts_with("cuda:") && is_number(id.substr(5)))) continue;
    std::vector<std::string> names;
    if (id != "gpus") names = {"gpus", "cpu", "interp"};  // which is not alone
    return fmt::format("'{}' is no device{}", id,
                       before_list(id, names,
                                   "expected cpu, interp, cuda:0, sim:hopper-h100 or the like, or several: "
                                   "cuda:1,cuda:0; or gpus alone"));
  }
  return {};
}

}  // namespace heddle::base
