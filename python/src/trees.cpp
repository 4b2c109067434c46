#include "trees.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <utility>

#include "gil.hpp"

namespace heddle::python {
namespace {

// Functions of Python that a tree calls, from threads of Heddle's.
struct Functions {
  py::object first = py::none(), second = py::none();  // condition and update; a merge function
  std::shared_ptr<std::map<unsigned, Taker>> numbers;
};

// In any thread. After the interpreter's end nothing of it can be released.
void release(void* user) {
  if (Py_IsInitialized() == 0) return;
  const PyGILState_STATE gil = ensure_gil();
  delete static_cast<Functions*>(user);
  PyGILState_Release(gil);
}

// Calls `work` with the GIL, in any thread; the number that functions of the C interface return.
template <typename Work>
std::int32_t in_python(const Work& work) {
  if (Py_IsInitialized() == 0) {
    heddle_function_error("the interpreter ended before a function of a tree was called");
    return 1;
  }
  const PyGILState_STATE gil = ensure_gil();
  std::int32_t result = 0;
  try {
    work();
  } catch (py::error_already_set& error) {
    const std::string text = py::str(error.value());
    heddle_function_error(("a function of a tree raised " + std::string(Py_TYPE(error.value().ptr())->tp_name) +
                           (text.empty() ? "" : ": ") + text)
                              .c_str());
    result = 1;
  } catch (const std::exception& error) {
    heddle_function_error(error.what());
    result = 1;
  }
  PyGILState_Release(gil);
  return result;
}

std::int32_t merge(void* user, void* whole, const void* part, std::size_t bytes) {
  return in_python([&] {
    static_cast<Functions*>(user)->first(py::memoryview::from_memory(whole, static_cast<py::ssize_t>(bytes)),
                                         py::memoryview::from_memory(part, static_cast<py::ssize_t>(bytes)));
  });
}

// Calls a loop's function with a view that ends with the call.
py::object with_view(const Functions& functions, const py::object& function, heddle_loop_view* view) {
  const py::object shown = py::cast(LoopView(view, functions.numbers));
  struct End {
    LoopView& view;
    ~End() { view.end(); }
  } const end{py::cast<LoopView&>(shown)};
  return function(shown);
}

std::int32_t condition(void* user, heddle_loop_view* view, std::int32_t* more) {
  return in_python([&] {
    const auto& functions = *static_cast<Functions*>(user);
    *more = py::bool_(with_view(functions, functions.first, view)) ? 1 : 0;
  });
}

std::int32_t update(void* user, heddle_loop_view* view) {
  return in_python([&] {
    const auto& functions = *static_cast<Functions*>(user);
    with_view(functions, functions.second, view);
  });
}

Tree made(const std::shared_ptr<RuntimeState>& runtime, heddle_tree* handle, std::map<unsigned, Taker> numbers) {
  return {runtime, std::shared_ptr<heddle_tree>(handle, &heddle_tree_free), std::move(numbers)};
}

// One binding of Python's: (kind, number) or (kind, slot, unit, per_thread, copy, merge, neutral, function, resident,
// kind of the neutral element's dtype).
heddle_binding binding(const py::tuple& from, const std::shared_ptr<const Kernel>& kernel, std::size_t parameter,
                       std::map<unsigned, Taker>& numbers) {
  heddle_binding to{};
  to.size = sizeof to;
  to.kind = from[0].cast<int>();
  if (to.kind == HEDDLE_BINDING_NUMBER) {
    Converted converted;
    convert(*kernel, parameter, from[1], converted);
    to.number = converted.list[0];
    if (!converted.buffers.empty() || !converted.structures.empty())
      raise(Wrong::type, "parameter " + described(kernel->parameters()[parameter]) + " of kernel " +
                             kernel->readable() + " takes a number here; arrays are arguments of run(), as arg(0)");
  }
  if (to.kind != HEDDLE_BINDING_SLOT) return to;
  to.slot = from[1].cast<unsigned>();
  to.unit = from[2].cast<std::size_t>();
  to.per_thread = from[3].cast<unsigned>();
  to.copy = from[4].cast<bool>() ? 1 : 0;
  to.merge = from[5].cast<int>();
  to.resident = from[8].cast<bool>() ? 1 : 0;
  if (!kernel->parameters()[parameter].pointer) numbers.try_emplace(to.slot, Taker{kernel, parameter});
  if (to.merge == HEDDLE_MERGE_FUNCTION) {
    to.neutral = PyBytes_AS_STRING(from[6].ptr());
    to.neutral_bytes = static_cast<std::size_t>(PyBytes_GET_SIZE(from[6].ptr()));
    to.element = element_of(from[9].cast<char>(), to.neutral_bytes);
    to.function = &merge;
    to.user = new Functions{.first = from[7]};
    to.release = &release;
  }
  return to;
}

Tree kernel_tree(const Kernel& kernel, const py::dict& options, const py::list& bindings) {
  kernel.runtime()->use();
  const auto kept = std::make_shared<const Kernel>(kernel);
  if (bindings.size() != kernel.parameters().size())
    raise(Wrong::type, "kernel " + kernel.readable() + " has " + std::to_string(kernel.parameters().size()) +
                           " parameters, but " + std::to_string(bindings.size()) + " are bound");
  std::map<unsigned, Taker> numbers;
  std::vector<heddle_binding> list;
  try {
    for (std::size_t i = 0; i < bindings.size(); ++i)
      list.push_back(binding(bindings[i].cast<py::tuple>(), kept, i, numbers));
  } catch (...) {
    for (const heddle_binding& one : list)
      if (one.release != nullptr) one.release(one.user);
    throw;
  }
  const auto blocks = options["blocks"].cast<std::vector<std::uint32_t>>();
  heddle_tree_kernel_options to{};
  to.size = sizeof to;
  to.block = options["block"].cast<std::uint32_t>();
  to.cpu_block = options["cpu_block"].cast<std::uint32_t>();
  to.per_thread = options["per_thread"].cast<std::uint32_t>();
  to.shared_per_thread = options["shared_per_thread"].cast<std::uint32_t>();
  to.blocks = blocks.data();
  to.block_count = blocks.size();
  heddle_tree* handle = nullptr;
  check(heddle_tree_kernel(kernel.handle(), &to, list.data(), list.size(), &handle));
  return made(kernel.runtime(), handle, std::move(numbers));
}

// Trees of one runtime, and what their kernels take as numbers.
std::map<unsigned, Taker> joined(const std::vector<const Tree*>& trees) {
  std::map<unsigned, Taker> numbers;
  for (const Tree* const tree : trees) {
    if (tree->runtime != trees.front()->runtime)
      raise(Wrong::value, "the kernels of a tree belong to one heddle.Runtime");
    numbers.insert(tree->numbers.begin(), tree->numbers.end());
  }
  return numbers;
}

Tree pipeline(const std::vector<const Tree*>& stages) {
  if (stages.empty()) raise(Wrong::value, "a pipeline needs at least one stage");
  std::map<unsigned, Taker> numbers = joined(stages);
  std::vector<heddle_tree*> handles;
  for (const Tree* const stage : stages) handles.push_back(stage->handle.get());
  heddle_tree* handle = nullptr;
  check(heddle_tree_pipeline(handles.data(), handles.size(), &handle));
  return made(stages.front()->runtime, handle, std::move(numbers));
}

Tree map(const Tree& tree) {
  heddle_tree* handle = nullptr;
  check(heddle_tree_map(tree.handle.get(), &handle));
  return made(tree.runtime, handle, tree.numbers);
}

Tree map_reduce(const Tree& map_stage, const Tree& reduction) {
  std::map<unsigned, Taker> numbers = joined({&map_stage, &reduction});
  heddle_tree* handle = nullptr;
  check(heddle_tree_map_reduce(map_stage.handle.get(), reduction.handle.get(), &handle));
  return made(map_stage.runtime, handle, std::move(numbers));
}

Tree loop(const Tree& body, std::size_t iterations, py::object while_, py::object update_function,
          const std::vector<std::pair<unsigned, unsigned>>& swap, bool global_sync) {
  std::vector<std::uint32_t> swaps;
  for (const auto& [a, b] : swap) {
    swaps.push_back(a);
    swaps.push_back(b);
  }
  heddle_loop_state state{};
  state.size = sizeof state;
  state.iterations = iterations;
  if (!while_.is_none()) state.condition = &condition;
  if (!update_function.is_none()) state.update = &update;
  state.user = new Functions{std::move(while_), std::move(update_function),
                             std::make_shared<std::map<unsigned, Taker>>(body.numbers)};
  state.release = &release;
  state.swap = swaps.data();
  state.swap_count = swap.size();
  state.global_sync = global_sync ? 1 : 0;
  heddle_tree* handle = nullptr;
  check(heddle_tree_loop(body.handle.get(), &state, &handle));
  return made(body.runtime, handle, body.numbers);
}

std::string name_of(const Tree& tree) {
  const char* name = nullptr;
  check(heddle_tree_name(tree.handle.get(), &name));
  return name;
}

// The arguments of a run, and the arrays that they refer to.
struct Arguments {
  std::vector<heddle_tree_argument> list;
  std::vector<std::shared_ptr<Buffer>> buffers;
};

Arguments arguments_of(const Tree& tree, const py::list& from, const std::shared_ptr<RuntimeState>& runtime) {
  Arguments made;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto one = from[i].cast<py::tuple>();
    heddle_tree_argument to{};
    if (py::isinstance<ArrayBase>(one[0])) {
      const auto& array = py::cast<const ArrayBase&>(one[0]);
      if (array.buffer->runtime() != runtime)
        raise(Wrong::value, "argument " + std::to_string(i) + " of the run belongs to another heddle.Runtime");
      to.argument = heddle_typed(heddle_part(array.buffer->handle(), array.offset, array.bytes), array.element);
      to.element_bytes = one[1].cast<std::uint32_t>();
      to.element = array.element;
      to.number = static_cast<heddle_number>(one[2].cast<int>());
      made.buffers.push_back(array.buffer);
    } else {
      const auto taker = tree.numbers.find(static_cast<unsigned>(i));
      if (taker == tree.numbers.end())
        raise(Wrong::type, "argument " + std::to_string(i) + " of the run is no heddle.Array, and no kernel of the " +
                               "tree takes it as a number");
      Converted converted;
      convert(*taker->second.kernel, taker->second.parameter, one[0], converted);
      to.argument = converted.list[0];
    }
    made.list.push_back(to);
  }
  return made;
}

}  // namespace

heddle_loop_view* LoopView::use() const {
  if (view_ == nullptr) raise(Wrong::value, "a view of a loop can be used only in the function that it was given to");
  return view_;
}

std::size_t LoopView::iteration() const {
  std::size_t result = 0;
  check(heddle_loop_iteration(use(), &result));
  return result;
}

py::memoryview LoopView::read(unsigned slot, std::size_t element_bytes) const {
  const void* data = nullptr;
  std::size_t bytes = 0;
  heddle_loop_view* const view = use();
  Failure wrong;
  {
    const ReleasedGil released;  // it waits for kernels
    wrong = failure(heddle_loop_read(view, slot, element_bytes, &data, &bytes));
  }
  if (wrong) raise(wrong);
  return py::memoryview::from_memory(data, static_cast<py::ssize_t>(bytes));
}

void LoopView::set(unsigned slot, py::handle value) const {
  heddle_loop_view* const view = use();
  const auto taker = numbers_->find(slot);
  if (taker == numbers_->end())
    raise(Wrong::value, "set(slot) is " + std::to_string(slot) +
                            "; it is the number of an argument that a kernel in the " + "loop takes as a number");
  Converted converted;
  convert(*taker->second.kernel, taker->second.parameter, value, converted);
  check(heddle_loop_set(view, slot, converted.list.data()));
}

TreeRun::TreeRun(std::shared_ptr<RuntimeState> runtime, heddle_tree_run* handle,
                 std::vector<std::shared_ptr<Buffer>> buffers)
    : runtime_(std::move(runtime)), handle_(handle, &heddle_tree_run_free), buffers_(std::move(buffers)) {}

bool TreeRun::done() const {
  runtime_->check_process();
  std::int32_t result = 0;
  check(heddle_tree_run_done(handle_.get(), &result));
  return result != 0;
}

void TreeRun::wait() const {
  runtime_->check_process();
  wait_for(runtime_->waits(),
           [handle = handle_, buffers = buffers_] { return failure(heddle_tree_run_wait(handle.get())); });
}

py::dict TreeRun::report() const {
  wait();
  heddle_tree_report report{};
  report.size = sizeof report;
  check(heddle_tree_run_report(handle_.get(), &report));
  py::list parts, kernels;
  for (std::size_t i = 0; i < report.part_count; ++i) {
    heddle_part_report part{};
    part.size = sizeof part;
    check(heddle_tree_run_part(handle_.get(), i, &part));
    py::dict one;
    one["device"] = part.device;
    one["first"] = part.first;
    one["count"] = part.count;
    one["seconds"] = part.seconds;
    one["launches"] = part.launches;
    parts.append(one);
  }
  for (std::size_t i = 0; i < report.kernel_count; ++i) {
    const char* name = nullptr;
    check(heddle_tree_run_kernel(handle_.get(), i, &name));
    kernels.append(name);
  }
  py::dict result;
  result["gpu_share"] = report.gpu_share;
  result["fission"] = report.fission;
  result["overlap"] = report.overlap;
  result["parts"] = parts;
  result["kernels"] = kernels;
  result["seconds"] = report.seconds;
  result["waited_seconds"] = report.waited_seconds;
  result["barriers"] = report.barriers;
  result["why"] = report.why;
  return result;
}

Executor::Executor(const std::shared_ptr<RuntimeState>& runtime, const py::dict& options)
    : runtime_(runtime), pending_(std::make_shared<std::vector<std::shared_ptr<TreeRun>>>()) {
  heddle_runtime* const of = runtime->use();
  const auto knowledge = options["knowledge"].cast<std::string>(), share = options["share"].cast<std::string>(),
             fission = options["fission"].cast<std::string>();
  const auto speeds = options["speeds"].cast<std::vector<std::pair<std::string, double>>>();
  std::vector<const char*> devices;
  std::vector<double> values;
  for (const auto& [device, speed] : speeds) {
    devices.push_back(device.c_str());
    values.push_back(speed);
  }
  heddle_executor_options to{};
  to.size = sizeof to;
  to.knowledge = knowledge.c_str();
  to.share = share.c_str();
  to.build_profiles = options["build_profiles"].cast<bool>() ? 1 : 0;
  to.no_adaptation = options["adapt"].cast<bool>() ? 0 : 1;
  to.max_deviation = options["max_deviation"].cast<double>();
  if (!options["gpu_share"].is_none()) {
    to.fixed_share = 1;
    to.gpu_share = options["gpu_share"].cast<double>();
  }
  to.fission = fission.c_str();
  to.overlap = options["overlap"].cast<std::uint32_t>();
  to.speed_devices = devices.data();
  to.speeds = values.data();
  to.speed_count = speeds.size();
  heddle_executor* handle = nullptr;
  Failure wrong;
  {
    const ReleasedGil released;  // it measures devices
    wrong = failure(heddle_executor_create(of, &to, &handle));
  }
  if (wrong) raise(wrong);
  handle_ =
      std::shared_ptr<heddle_executor>(handle, [runtime = runtime_, pending = pending_](heddle_executor* executor) {
        let_go(runtime->waits(), [executor, runtime, pending] { heddle_executor_free(executor); });
      });
}

std::shared_ptr<TreeRun> Executor::run(const Tree& tree, const py::list& arguments) {
  runtime_->use();
  if (tree.runtime != runtime_) raise(Wrong::value, "the tree belongs to another heddle.Runtime than the executor");
  std::erase_if(*pending_, [](const auto& run) { return run->done(); });
  Arguments made = arguments_of(tree, arguments, runtime_);
  for (const auto& buffer : made.buffers) buffer->used(HEDDLE_ACCESS_READ_WRITE);
  heddle_tree_run* handle = nullptr;
  Failure wrong;
  {
    const ReleasedGil released;
    wrong = failure(heddle_executor_run(handle_.get(), tree.handle.get(), made.list.data(), made.list.size(), &handle));
  }
  if (wrong) raise(wrong);
  auto run = std::make_shared<TreeRun>(runtime_, handle, std::move(made.buffers));
  pending_->push_back(run);
  return run;
}

void Executor::tune(const Tree& tree, const py::list& arguments) {
  runtime_->use();
  if (tree.runtime != runtime_) raise(Wrong::value, "the tree belongs to another heddle.Runtime than the executor");
  const auto made = std::make_shared<Arguments>(arguments_of(tree, arguments, runtime_));
  wait_for(runtime_->waits(), [executor = handle_, of = tree.handle, made] {
    return failure(heddle_executor_tune(executor.get(), of.get(), made->list.data(), made->list.size()));
  });
}

void define_trees(py::module_& module) {
  py::class_<Tree>(module, "Tree").def_property_readonly("name", &name_of);
  module.def("tree_kernel", &kernel_tree);
  module.def("tree_pipeline", &pipeline);
  module.def("tree_map", &map);
  module.def("tree_map_reduce", &map_reduce);
  module.def("tree_loop", &loop);
  py::class_<LoopView>(module, "LoopView")
      .def_property_readonly("iteration", &LoopView::iteration)
      .def("read", &LoopView::read)
      .def("set", &LoopView::set);
  py::class_<TreeRun, std::shared_ptr<TreeRun>>(module, "TreeRun")
      .def_property_readonly("done", &TreeRun::done)
      .def("wait", &TreeRun::wait)
      .def("report", &TreeRun::report);
  py::class_<Executor, std::shared_ptr<Executor>>(module, "Executor")
      .def(py::init<const std::shared_ptr<RuntimeState>&, const py::dict&>())
      .def("run", &Executor::run)
      .def("tune", &Executor::tune);
}

}  // namespace heddle::python
