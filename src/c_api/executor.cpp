// Executors, and runs of trees.
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_api/arguments.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "c_api/tree_handles.hpp"

namespace {

using namespace heddle;         // NOLINT: this file gives its C++ names others for C
using namespace heddle::c_api;  // NOLINT
using skeleton::Merge;
using skeleton::Report;
using skeleton::Value;

skeleton::ExecutorOptions executor_options(const heddle_executor_options* options, const char* function) {
  const heddle_executor_options from = known(options, function);
  skeleton::ExecutorOptions made;
  made.knowledge = text_or(from.knowledge);
  made.share = text_or(from.share, "all");
  made.build_profiles = from.build_profiles != 0;
  made.adapt = from.no_adaptation == 0;
  if (from.max_deviation != 0) made.max_deviation = from.max_deviation;
  if (from.fixed_share != 0) made.gpu_share = from.gpu_share;
  if (!text_or(from.fission).empty()) made.fission = std::string(from.fission);
  if (from.overlap != 0) made.overlap = from.overlap;
  if (from.speed_count > 0) {
    given(from.speed_devices, function, "the list of devices");
    given(from.speeds, function, "the list of speeds");
  }
  for (std::size_t i = 0; i < from.speed_count; ++i)
    made.speeds.emplace_back(text_or(from.speed_devices[i]), from.speeds[i]);
  return made;
}

// What the elements of an array are, for operations on them.
struct Elements {
  std::size_t bytes = 1;
  heddle_element element = HEDDLE_ELEMENT_UNKNOWN;
  heddle_number number = HEDDLE_NUMBER_UNKNOWN;
};

template <typename Signed, typename Unsigned>
void merge_integers(const Elements& of, Merge operation, std::span<std::byte> whole, std::span<const std::byte> part) {
  if (of.number == HEDDLE_NUMBER_SIGNED) return skeleton::merge_elements<Signed>(operation, whole, part);
  skeleton::merge_elements<Unsigned>(operation, whole, part);
}

void merge(const Elements& of, Merge operation, std::span<std::byte> whole, std::span<const std::byte> part) {
  switch (of.element) {
    case HEDDLE_ELEMENT_I8: return merge_integers<std::int8_t, std::uint8_t>(of, operation, whole, part);
    case HEDDLE_ELEMENT_I16: return merge_integers<std::int16_t, std::uint16_t>(of, operation, whole, part);
    case HEDDLE_ELEMENT_I32: return merge_integers<std::int32_t, std::uint32_t>(of, operation, whole, part);
    case HEDDLE_ELEMENT_I64: return merge_integers<std::int64_t, std::uint64_t>(of, operation, whole, part);
    case HEDDLE_ELEMENT_F32: return skeleton::merge_elements<float>(operation, whole, part);
    case HEDDLE_ELEMENT_F64: return skeleton::merge_elements<double>(operation, whole, part);
    default: refuse("only arrays of integers, float and double can be merged by an operation; give a function instead");
  }
}

// The bytes of one: what products begin with.
std::vector<std::byte> one_of(const Elements& of) {
  std::vector<std::byte> bytes(of.bytes);
  const auto store = [&](auto value) { std::memcpy(bytes.data(), &value, std::min(sizeof value, bytes.size())); };
  if (of.element == HEDDLE_ELEMENT_F32) {
    store(1.0f);
  } else if (of.element == HEDDLE_ELEMENT_F64) {
    store(1.0);
  } else {
    store(std::uint64_t{1});
  }
  return bytes;
}

Value value_of(Array<std::byte>& array, const Argument& whole, std::size_t offset, std::size_t bytes,
               const Elements& elements);

Value partial_of(Runtime& runtime, std::size_t bytes, const Elements& elements, Merge operation,
                 const std::vector<std::byte>& neutral) {
  auto made = std::make_shared<Array<std::byte>>(runtime.array<std::byte>(bytes));
  const bool product = operation == Merge::multiply || operation == Merge::divide;
  const std::vector<std::byte> begin = product ? one_of(elements) : neutral;
  const std::span<std::byte> to = made->write();
  if (begin.size() == elements.bytes)
    for (std::size_t at = 0; at < to.size(); at += begin.size())
      std::memcpy(to.data() + at, begin.data(), begin.size());
  Value value = value_of(*made, Argument(*made), 0, bytes, elements);
  value.owner = made;
  return value;
}

Value value_of(Array<std::byte>& array, const Argument& whole, std::size_t offset, std::size_t bytes,
               const Elements& elements) {
  const std::size_t size = elements.bytes;
  return {.argument = whole,
          .count = bytes / size,
          .element_bytes = size,
          .double_precision = elements.element == HEDDLE_ELEMENT_F64,
          .slice =
              [&array, offset, size, type = whole.element()](std::size_t first, std::size_t count) {
                return Argument(array.slice(offset + first * size, count * size)).with(type);
              },
          .read = [&array, offset, size](std::size_t first,
                                         std::size_t count) { return array.read(offset + first * size, count * size); },
          .write = [&array, offset, bytes] { return array.write(offset, bytes); },
          .make_partial =
              [bytes, elements](Runtime& runtime, Merge operation, const std::vector<std::byte>& neutral) {
                return partial_of(runtime, bytes, elements, operation, neutral);
              },
          .merge = [elements](Merge operation, std::span<std::byte> all,
                              std::span<const std::byte> part) { merge(elements, operation, all, part); }};
}

std::vector<Value> values_of(const heddle_tree_argument* arguments, std::size_t count, const char* function) {
  if (count > 0) given(arguments, function, "the list of arguments");
  std::vector<Value> list;
  for (std::size_t i = 0; i < count; ++i) {
    const heddle_tree_argument& from = arguments[i];
    const Argument argument = argument_list(&from.argument, 1, function)[0];
    if (from.element_bytes == 0) {
      if (argument.kind() == Argument::Kind::array)
        refuse(std::string(function) + ": argument " + std::to_string(i) + " is an array without element_bytes");
      list.push_back({.argument = argument});
      continue;
    }
    if (argument.kind() != Argument::Kind::array)
      refuse(std::string(function) + ": argument " + std::to_string(i) + " has element_bytes, but is no array");
    Array<std::byte>& array = from.argument.value.array->array;
    if (from.argument.offset > array.size())
      refuse(std::string(function) + ": argument " + std::to_string(i) + " begins behind the end of its array");
    const std::size_t rest = array.size() - from.argument.offset;
    const std::size_t bytes = from.argument.length == HEDDLE_REST ? rest : from.argument.length;
    if (bytes > rest || bytes % from.element_bytes != 0)
      refuse(std::string(function) + ": the " + std::to_string(bytes) + " bytes of argument " + std::to_string(i) +
             " are no whole number of elements of its array");
    list.push_back(
        value_of(array, argument, from.argument.offset, bytes, {from.element_bytes, from.element, from.number}));
  }
  return list;
}

const Report& report_of(heddle_tree_run* run, const char* function) {
  return given(run, function, "the run").report.get();
}

}  // namespace

extern "C" {

heddle_status heddle_executor_create(heddle_runtime* runtime, const heddle_executor_options* options,
                                     heddle_executor** executor) {
  return guarded([&] {
    const char* const function = "heddle_executor_create";
    auto& of = given(runtime, function, "the runtime").runtime;
    auto& to = given(executor, function, "the place of the executor");
    to = new heddle_executor(of, executor_options(options, function));
  });
}

void heddle_executor_free(heddle_executor* executor) { delete executor; }

heddle_status heddle_executor_run(heddle_executor* executor, heddle_tree* tree, const heddle_tree_argument* arguments,
                                  size_t count, heddle_tree_run** run) {
  return guarded([&] {
    const char* const function = "heddle_executor_run";
    auto& on = given(executor, function, "the executor").executor;
    const auto& of = given(tree, function, "the tree").tree;
    auto& to = given(run, function, "the place of the run");
    auto made = std::make_unique<heddle_tree_run>();
    made->report = on.run(of, values_of(arguments, count, function)).share();
    to = made.release();
  });
}

heddle_status heddle_executor_tune(heddle_executor* executor, heddle_tree* tree, const heddle_tree_argument* arguments,
                                   size_t count) {
  return guarded([&] {
    const char* const function = "heddle_executor_tune";
    auto& on = given(executor, function, "the executor").executor;
    on.tune(given(tree, function, "the tree").tree, values_of(arguments, count, function));
  });
}

heddle_status heddle_tree_run_done(heddle_tree_run* run, int32_t* done) {
  return guarded([&] {
    const char* const function = "heddle_tree_run_done";
    const auto& future = given(run, function, "the run").report;
    given(done, function, "the place of the answer") =
        future.wait_for(std::chrono::seconds(0)) == std::future_status::ready ? 1 : 0;
  });
}

heddle_status heddle_tree_run_wait(heddle_tree_run* run) {
  return guarded([&] { report_of(run, "heddle_tree_run_wait"); });
}

heddle_status heddle_tree_run_report(heddle_tree_run* run, heddle_tree_report* report) {
  return guarded([&] {
    const char* const function = "heddle_tree_run_report";
    auto& to = given(report, function, "the report");
    const Report& from = report_of(run, function);
    heddle_tree_report made{};
    made.gpu_share = from.gpu_share;
    made.fission = from.fission.c_str();
    made.overlap = from.overlap;
    made.seconds = from.seconds;
    made.waited_seconds = from.waited_seconds;
    made.barriers = from.barriers;
    made.why = from.why.c_str();
    made.part_count = from.parts.size();
    made.kernel_count = from.kernels.size();
    hand_out(made, &to, to.size, function);
  });
}

heddle_status heddle_tree_run_part(heddle_tree_run* run, size_t number, heddle_part_report* part) {
  return guarded([&] {
    const char* const function = "heddle_tree_run_part";
    auto& to = given(part, function, "the report");
    const Report& from = report_of(run, function);
    if (number >= from.parts.size()) refuse(std::string(function) + ": the run has no part " + std::to_string(number));
    const skeleton::PartReport& one = from.parts[number];
    heddle_part_report made{};
    made.device = one.device.c_str();
    made.first = one.first;
    made.count = one.count;
    made.seconds = one.seconds;
    made.launches = one.launches;
    hand_out(made, &to, to.size, function);
  });
}

heddle_status heddle_tree_run_kernel(heddle_tree_run* run, size_t number, const char** name) {
  return guarded([&] {
    const char* const function = "heddle_tree_run_kernel";
    auto& to = given(name, function, "the place of the name");
    const Report& from = report_of(run, function);
    if (number >= from.kernels.size())
      refuse(std::string(function) + ": the run has no kernel " + std::to_string(number));
    to = from.kernels[number].c_str();
  });
}

void heddle_tree_run_free(heddle_tree_run* run) { delete run; }
}
