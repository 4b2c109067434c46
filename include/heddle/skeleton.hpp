// One program for all devices: kernels composed into trees, whose work Heddle splits over CPUs and GPUs.
//
//   namespace sk = heddle::skeleton;
//   sk::Executor executor(runtime);
//   auto saxpy = sk::map(sk::kernel(module.kernel("saxpy"), {}, sk::arg(0), sk::arg(1), sk::arg(2), sk::arg(3)));
//   std::future<sk::Report> done = saxpy.run(executor, n, 2.0f, x, y);
//
// The model is Marrow's (Soldado, Alexandre, Paulino, "Execution of compound multi-kernel OpenCL computations in
// multi-CPU/multi-GPU environments", CCPE 2016). Every part of a run evaluates the whole tree, depth first, over its
// part of the data, so that data stays on its device from kernel to kernel. Runs are served in the order in which they
// were asked for, and each has all devices. How the work is split is found, kept on disk, and adapted when a run's
// parts do not end together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/array.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "heddle/runtime.hpp"

namespace heddle::skeleton {

// How partial results of the parts become one: argument = argument OP part 0 OP part 1 ... Each part begins with the
// neutral value: 0, or 1 for multiply and divide.
enum class Merge : std::uint8_t { none, add, subtract, multiply, divide, function };
// Merges `part` into `whole`, bytes of the same number of elements.
using MergeFunction = std::function<void(std::span<std::byte> whole, std::span<const std::byte> part)>;

// An argument of run(), by its number, as an argument of a kernel.
//
// An array is partitioned, unless copy() or merge() say otherwise: a kernel that takes it, or a part of it, in
// partition j computes that part's elements. If nothing else is said of a kernel (no unit(), no trait), the kernel may
// index the whole arrays by its global thread number: its parts are ranges of its blocks, and Heddle finds in the PTX
// which bytes each accesses. Else each part is a launch of its own, which gets the address of the part's first element,
// and learns its size and place from traits.
class Slot {
 public:
  explicit Slot(unsigned number, ElementType element = ElementType::unknown) : number_(number), element_(element) {}
  // The elementary partitioning unit: parts have whole multiples of so many elements. 1 by default.
  Slot unit(std::size_t elements) const;
  // Elements of this array for each thread; by default KernelOptions::per_thread.
  Slot per_thread(unsigned elements) const;
  // Every part gets the whole array, to read.
  Slot copy() const;
  // What kernels write of it stays on the devices: for results that only other kernels of the tree need. The run does
  // not bring it to the host, which fetches it if it reads it.
  Slot resident() const;
  // Every part gets an array of its own for its partial result; they are merged when all are done. Throws
  // invalid_argument for an operation that there is not, for Merge::function alone, and for an empty function.
  Slot merge(Merge operation) const;
  template <typename T>
  Slot merge(T neutral, std::function<T(T, T)> function) const {
    MergeFunction of_bytes;
    if (function)
      of_bytes = [function = std::move(function)](std::span<std::byte> whole, std::span<const std::byte> part) {
        auto* to = reinterpret_cast<T*>(whole.data());
        const auto* from = reinterpret_cast<const T*>(part.data());
        for (std::size_t i = 0; i < whole.size() / sizeof(T); ++i) to[i] = function(to[i], from[i]);
      };
    return merge_bytes(std::vector<std::byte>(as_bytes(neutral).begin(), as_bytes(neutral).end()), std::move(of_bytes),
                       element_type<T>);
  }

  // The same with the neutral element and the function on bytes. `element`: of both, which is compared with the
  // kernel's parameter when the tree is built. The run throws invalid_argument where elements have another size.
  Slot merge_bytes(std::vector<std::byte> neutral, MergeFunction function,
                   ElementType element = ElementType::unknown) const;

  unsigned number() const { return number_; }
  ElementType element() const { return element_; }
  std::size_t unit_elements() const { return unit_; }
  bool has_unit() const { return has_unit_; }
  unsigned elements_per_thread() const { return per_thread_; }
  bool is_copy() const { return copy_; }
  bool is_resident() const { return resident_; }
  Merge merge_operation() const { return merge_; }
  const MergeFunction& merge_function() const { return function_; }
  const std::vector<std::byte>& neutral() const { return neutral_; }

 private:
  template <typename T>
  static std::span<const std::byte> as_bytes(const T& value) {
    return std::as_bytes(std::span(&value, 1));
  }

  unsigned number_;
  ElementType element_;
  std::size_t unit_ = 1;
  unsigned per_thread_ = 0;
  bool has_unit_ = false, copy_ = false, resident_ = false;
  Merge merge_ = Merge::none;
  MergeFunction function_;
  std::vector<std::byte> neutral_;
};

inline Slot arg(unsigned number) { return Slot(number); }
// With the type of its elements, which is compared with the kernel's parameter when the tree is built.
template <typename T>
Slot arg(unsigned number) {
  return Slot(number, element_type<T>);
}

// Numbers that the runtime fills in for each part, of the size of the kernel's parameter.
enum class Trait : std::uint8_t {
  size,    // elements of the part, of the kernel's first partitioned array
  offset,  // the place of its first element in the whole array
  units,   // size and offset in elementary partitioning units
  first_unit,
  total  // elements of the whole array
};
constexpr Trait size = Trait::size, offset = Trait::offset, units = Trait::units, first_unit = Trait::first_unit,
                total = Trait::total;

// What a kernel of a tree gets for one of its parameters.
class Binding {
 public:
  enum class Kind : std::uint8_t { value, slot, trait };
  template <typename T>
    requires(std::is_arithmetic_v<T>)
  Binding(T value) : kind_(Kind::value), value_(Argument(value)) {}  // NOLINT: as launch()
  Binding(Slot slot) : kind_(Kind::slot), slot_(std::move(slot)) {}  // NOLINT
  Binding(Trait trait) : kind_(Kind::trait), trait_(trait) {}        // NOLINT
  explicit Binding(const Argument& number) : kind_(Kind::value), value_(number) {}
  Kind kind() const { return kind_; }
  const Argument& value() const { return value_; }
  const Slot& slot() const { return slot_; }
  Trait trait() const { return trait_; }

 private:
  Kind kind_;
  Argument value_{0};
  Slot slot_{0};
  Trait trait_ = Trait::size;
};

struct KernelOptions {
  unsigned block = 256;     // threads of a block (the work-group size); a device that has fewer has its most
  unsigned cpu_block = 0;   // the same on CPUs; 0: as on GPUs
  unsigned per_thread = 1;  // elements that each thread computes
  std::uint32_t shared_per_thread = 0;  // bytes of dynamic shared memory
  std::vector<unsigned> blocks = {};    // sizes of blocks among which the auto-tuner may choose; empty: `block` alone
};

struct Node;
class Executor;

struct PartReport {
  std::string device = {};             // id
  std::uint64_t first = 0, count = 0;  // elementary units
  double seconds = 0;  // from the run's start until it and earlier parts of its kind had ended; simulated: their time
  std::uint64_t launches = 0;
};

struct Report {
  double gpu_share = 1;                   // of the work, as planned
  std::string fission = {};               // "L1", "L2", "L3", "NUMA", "none"
  unsigned overlap = 1;                   // concurrent parts of each GPU
  std::vector<PartReport> parts = {};     // with work
  std::vector<std::string> kernels = {};  // of the first part, in the order of their launches
  double seconds = 0;  // of the whole run, merging included; with simulated devices: the longest part's, by their time
  double waited_seconds = 0;   // from run() to the start of the run
  std::uint64_t barriers = 0;  // of all parts, in loops with global_sync
  std::string why = {};        // where the split comes from
};

// An argument of a run that is under way. For the executor.
struct Value {
  Argument argument;      // of the whole array, or the number itself
  std::size_t count = 0;  // elements; 0: a number
  std::size_t element_bytes = 0;
  bool double_precision = false;
  std::function<Argument(std::size_t first, std::size_t count)> slice = {};
  std::function<std::span<const std::byte>(std::size_t first, std::size_t count)> read = {};
  std::function<std::span<std::byte>()> write = {};
  // The same type and size, of its own; `neutral`, which is an element, in every one. Kept alive by the result.
  std::function<Value(Runtime&, Merge, const std::vector<std::byte>&)> make_partial = {};
  std::function<void(Merge, std::span<std::byte>, std::span<const std::byte>)> merge = {};
  std::shared_ptr<void> owner = {};
};

// What a loop's functions on the host see: all parts (global_sync), or one part.
class LoopView {
 public:
  LoopView(std::vector<Value>& values, std::size_t iteration, std::vector<std::pair<std::size_t, std::size_t>> ranges)
      : values_(values), iteration_(iteration), ranges_(std::move(ranges)) {}
  std::size_t iteration() const { return iteration_; }  // completed ones
  // The part's elements of an array, or all of them; waits for the kernels that write them.
  template <typename T>
  std::span<const T> read(unsigned slot) const {
    const std::span<const std::byte> bytes = read_bytes(slot, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // Changes a number for the next iterations: in all parts, or in this one.
  template <typename T>
    requires(std::is_arithmetic_v<T>)
  void set(unsigned slot, T value) {
    set_value(slot, Argument(value));
  }
  // The same without types. Throw invalid_argument where the argument is no such array, or no number of that size.
  std::span<const std::byte> read_bytes(unsigned slot, std::size_t element_bytes) const;
  void set_value(unsigned slot, const Argument& value);

 private:
  const Value& argument(unsigned slot, bool array) const;

  std::vector<Value>& values_;
  std::size_t iteration_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // first and count, by slot
};

struct LoopState {
  std::size_t iterations = 0;                            // a `for` loop, if there is no condition
  std::function<bool(LoopView&)> condition = {};         // a `while` loop: before each iteration
  std::function<void(LoopView&)> update = {};            // after each iteration
  std::vector<std::pair<unsigned, unsigned>> swap = {};  // arguments that change places after each iteration
  // All parts end an iteration before the host's functions run, once for all of them. Else they run for each part by
  // itself, concurrently: condition and update must then bear calls from several threads.
  bool global_sync = false;
};

// A tree of kernels. A light handle; copies refer to the same tree, which never changes. Any thread.
class Tree {
 public:
  explicit Tree(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const std::shared_ptr<const Node>& node() const { return node_; }
  // Its kernels and structure, for people and as a key of what is known: "pipeline(noise,solarize) 1f09…".
  std::string name() const;

  // Runs it, asynchronously. Arguments are numbers and arrays; arrays must exist until the future is ready. Then the
  // host has the results, or the future throws the first Error of a part. Throws invalid_argument at once where an
  // argument does not fit the tree, or the sizes forbid a split that was asked for: the sentence names the argument.
  template <typename... Arguments>
  std::future<Report> run(Executor& executor, Arguments&&... arguments) const;

 private:
  std::shared_ptr<const Node> node_;
};

// Throws invalid_argument where the bindings do not fit the kernel's parameters.
Tree kernel_of(const Kernel& kernel, KernelOptions options, std::vector<Binding> bindings);
template <typename... Bindings>
Tree kernel(const Kernel& kernel, const KernelOptions& options, Bindings... bindings) {
  return kernel_of(kernel, options, {Binding(bindings)...});
}
Tree pipeline_of(std::vector<Tree> stages);
template <typename... Trees>
Tree pipeline(const Trees&... stages) {
  return pipeline_of({stages...});
}
// Throws invalid_argument for a state with neither iterations nor condition.
Tree loop(const Tree& body, LoopState state);
Tree map(const Tree& tree);
// The reduction on the devices: its results must be merged (Slot::merge), as each part has one.
Tree map_reduce(const Tree& map_stage, const Tree& reduction);

// What the function of a reduction on the host takes as one of its spans. For the templates.
struct ReductionInput {
  unsigned slot = 0;  // an argument of run()
  ElementType element = ElementType::unknown;
  std::size_t element_bytes = 1;
};
// Gives each input its slot. Throws invalid_argument where they do not fit the tree, or there is no function.
void bind_inputs(std::vector<ReductionInput>& inputs, const std::vector<unsigned>& slots, const Tree& tree,
                 bool has_function);
// Throws invalid_argument where the arguments of a run do not fit.
void check_inputs(const std::vector<ReductionInput>& inputs, const std::vector<Value>& values);

// A map stage with a reduction on the host.
template <typename Result, typename... Elements>
class Reduction {
 public:
  using Function = std::function<Result(std::span<const Elements>...)>;
  // Throws invalid_argument where there is not one slot for each span, where a slot is none of the tree's arrays, or
  // where its kernels take another type there.
  Reduction(Tree tree, Function function, const std::vector<unsigned>& slots)
      : tree_(std::move(tree)),
        function_(std::move(function)),
        inputs_{ReductionInput{0, element_type<std::remove_cv_t<Elements>>, sizeof(Elements)}...} {
    bind_inputs(inputs_, slots, tree_, static_cast<bool>(function_));
  }
  const Tree& tree() const { return tree_; }
  // As Tree::run(). The function gets the whole arrays of its slots, on the thread that waits for the result. Throws
  // invalid_argument at once also where the function takes what is no array, or one of another type.
  template <typename... Arguments>
  std::future<Result> run(Executor& executor, Arguments&&... arguments) const;

 private:
  Tree tree_;
  Function function_;
  std::vector<ReductionInput> inputs_;
};
// map_reduce<float>(tree, [](std::span<const float> sums) { ... }, {2})
template <typename... Elements, typename Function>
auto map_reduce(const Tree& map_stage, Function function, const std::vector<unsigned>& slots) {
  using Result = std::invoke_result_t<Function, std::span<const Elements>...>;
  return Reduction<Result, Elements...>(map(map_stage), std::move(function), slots);
}

struct ExecutorOptions {
  // Where what is known of programs is kept; empty: in Heddle's cache. "none": it is not kept.
  std::string knowledge = {};
  std::string share = "all";  // the part of the devices that the program may use; knowledge of another does not count
  // Search for a configuration when a workload's runs are unbalanced. HEDDLE_TUNE=1 in the environment sets it.
  bool build_profiles = false;
  bool adapt = true;            // move work when runs are unbalanced
  double max_deviation = 0.85;  // the shortest part over the longest that counts as balanced; 0 to 1
  // Fixed settings instead of found ones.
  std::optional<double> gpu_share = {};  // 0 to 1
  std::optional<std::string> fission = {};
  std::optional<unsigned> overlap = {};  // 1 to 4
  // Speeds of the runtime's devices, by id, instead of measured ones: how work is split among the GPUs, and what is
  // assumed where nothing is known.
  std::vector<std::pair<std::string, double>> speeds = {};
  // Workers of the CPU device by domain, each in ascending order, instead of the machine's caches, for every level of
  // fission.
  std::vector<std::vector<unsigned>> domains = {};
};

// Operations per second of a device of the runtime, with a small kernel of integer and floating-point arithmetic: the
// geometric mean of both. Of a simulated device by its own clock. What an executor measures when it is made; keep it
// for ExecutorOptions::speeds where a program makes several. Throws not_found.
double measured_speed(Runtime& runtime, std::string_view device);

// The devices of a runtime as what trees run on. Any thread may call run(). The runtime outlives it; its destructor
// waits for the runs that were asked for. A run whose future is ready holds no function and no array of the caller.
class Executor {
 public:
  explicit Executor(Runtime& runtime, const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  std::future<Report> run(const Tree& tree, std::vector<Value> values);
  // Searches for the best configuration now, with runs of its own on copies of the arrays, and keeps it. Waits.
  void tune(const Tree& tree, std::vector<Value> values);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// The value of an argument of run().
template <typename T>
  requires(std::is_arithmetic_v<T>)
Value value_of(T value) {
  return {.argument = Argument(value), .double_precision = std::is_same_v<T, double>};
}

// Whether elements can be merged by an arithmetic operation, and that operation.
template <typename T>
void merge_elements(Merge operation, std::span<std::byte> whole, std::span<const std::byte> part) {
  if constexpr (std::is_arithmetic_v<T>) {
    auto* to = reinterpret_cast<T*>(whole.data());
    const auto* from = reinterpret_cast<const T*>(part.data());
    for (std::size_t i = 0; i < whole.size() / sizeof(T); ++i) {
      if (operation == Merge::add) to[i] = static_cast<T>(to[i] + from[i]);
      if (operation == Merge::subtract) to[i] = static_cast<T>(to[i] - from[i]);
      if (operation == Merge::multiply) to[i] = static_cast<T>(to[i] * from[i]);
      if (operation == Merge::divide) to[i] = static_cast<T>(to[i] / from[i]);
    }
  } else {
    throw Error(ErrorCode::invalid_argument, "only numbers can be merged by an operation; give a function instead");
  }
}

template <typename T>
Value value_of(Array<T>& array);

template <typename T>
Value partial_of(Runtime& runtime, std::size_t count, Merge operation, const std::vector<std::byte>& neutral) {
  auto made = std::make_shared<Array<T>>(runtime.array<T>(count));
  for (T& element : made->write()) {
    if (operation == Merge::function) std::memcpy(&element, neutral.data(), sizeof(T));
    if constexpr (std::is_arithmetic_v<T>)
      if (operation == Merge::multiply || operation == Merge::divide) element = T(1);
  }
  Value value = value_of(*made);
  value.owner = made;
  return value;
}

template <typename T>
Value value_of(Array<T>& array) {
  return {.argument = Argument(array),
          .count = array.size(),
          .element_bytes = sizeof(T),
          .double_precision = std::is_same_v<T, double>,
          .slice = [&array](std::size_t first, std::size_t count) { return Argument(array.slice(first, count)); },
          .read = [&array](std::size_t first, std::size_t count) { return std::as_bytes(array.read(first, count)); },
          .write = [&array] { return std::as_writable_bytes(array.write()); },
          .make_partial =
              [size = array.size()](Runtime& runtime, Merge operation, const std::vector<std::byte>& neutral) {
                return partial_of<T>(runtime, size, operation, neutral);
              },
          .merge = &merge_elements<T>};
}

template <typename... Arguments>
std::future<Report> Tree::run(Executor& executor, Arguments&&... arguments) const {
  std::vector<Value> values;
  (values.push_back(value_of(arguments)), ...);
  return executor.run(*this, std::move(values));
}

template <typename Result, typename... Elements>
template <typename... Arguments>
std::future<Result> Reduction<Result, Elements...>::run(Executor& executor, Arguments&&... arguments) const {
  std::vector<Value> values;
  (values.push_back(value_of(arguments)), ...);
  check_inputs(inputs_, values);
  auto done = std::make_shared<std::future<Report>>(executor.run(tree_, values));
  return std::async(std::launch::deferred, [done, values, function = function_, inputs = inputs_] {
    done->get();
    std::size_t next = 0;
    const auto whole = [&]<typename T>(T*) {
      const Value& value = values[inputs[next++].slot];
      const std::span<const std::byte> bytes = value.read(0, value.count);
      return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
    };
    // Braces, as their elements are evaluated in order.
    const std::tuple<std::span<const Elements>...> spans{whole(static_cast<Elements*>(nullptr))...};
    return std::apply(function, spans);
  });
}

}  // namespace heddle::skeleton
