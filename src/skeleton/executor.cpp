// Serves runs in the order in which they were asked for, each with all devices.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/log.hpp"
#include "base/variables.hpp"
#include "base/worker_thread.hpp"
#include "heddle/skeleton.hpp"
#include "knowledge/store.hpp"
#include "skeleton/program.hpp"
#include "skeleton/run.hpp"
#include "tuning/planner.hpp"

namespace heddle::skeleton {
namespace {

constexpr unsigned most_overlap = 4;

// Before devices are measured.
const ExecutorOptions& checked(const ExecutorOptions& options) {
  if (options.gpu_share && !(*options.gpu_share >= 0 && *options.gpu_share <= 1))
    base::fail(ErrorCode::invalid_argument, "ExecutorOptions::gpu_share is {}; it is 0 to 1", *options.gpu_share);
  if (!(options.max_deviation >= 0 && options.max_deviation <= 1))
    base::fail(ErrorCode::invalid_argument, "ExecutorOptions::max_deviation is {}; it is 0 to 1",
               options.max_deviation);
  if (options.overlap && (*options.overlap == 0 || *options.overlap > most_overlap))
    base::fail(ErrorCode::invalid_argument, "ExecutorOptions::overlap is {}; a GPU has 1 to {} parts", *options.overlap,
               most_overlap);
  return options;
}

}  // namespace

class Executor::State {
 public:
  State(Runtime& runtime, const ExecutorOptions& options)
      : runtime_(runtime),
        options_(checked(options)),
        platforms_(runtime, options_),
        runner_(runtime, platforms_, clock_),
        worker_("heddle-trees") {
    options_.build_profiles = options_.build_profiles || base::truth_variable("HEDDLE_TUNE").value_or(false);
    if (options_.fission) fission_ = knowledge::fission_named(*options_.fission);
    if (options_.knowledge != "none")
      store_.emplace(
          options_.knowledge.empty() ? knowledge::Store::usual_file() : std::filesystem::path(options_.knowledge),
          clock_);
  }

  std::future<Report> run(const Tree& tree, std::vector<Value> values) {
    auto asked = std::make_shared<Asked>(tree, program_of(tree, values), clock_.now_ns());
    asked->values = std::move(values);
    std::future<Report> future = asked->promise.get_future();
    worker_.post([this, asked = std::move(asked)] {
      try {
        Report report = serve(*asked);
        asked->let_go();
        asked->promise.set_value(std::move(report));
      } catch (...) {
        asked->let_go();
        asked->promise.set_exception(std::current_exception());
      }
    });
    return future;
  }

  void tune(const Tree& tree, std::vector<Value> values) {
    const std::unique_ptr<Program> made = program_of(tree, values);
    const Program& program = *made;
    std::promise<void> done;
    worker_.post([&] {
      try {
        tuning::Planner& planner = planner_of(tree);
        plan(planner, program);
        planner.set_built(search(program, values, from_host(values)));
        done.set_value();
      } catch (...) {
        done.set_exception(std::current_exception());
      }
    });
    done.get_future().get();
  }

 private:
  // One run. It lets go of the caller's functions and arrays before its future is ready, so that a caller that has
  // waited may end what they refer to.
  struct Asked {
    Asked(const Tree& of, std::unique_ptr<Program> made, std::uint64_t at_ns)
        : tree(of), program(std::move(made)), asked_ns(at_ns) {}
    void let_go() {
      tree.reset();
      program.reset();
      values.clear();
    }

    std::optional<Tree> tree;
    std::unique_ptr<Program> program;
    std::vector<Value> values;
    std::uint64_t asked_ns;
    std::promise<Report> promise;
  };

  std::unique_ptr<Program> program_of(const Tree& tree, const std::vector<Value>& values) const {
    auto program = std::make_unique<Program>(tree, values);
    program->check_blocks(platforms_.executions(knowledge::Fission::none, 1));
    return program;
  }

  tuning::Planner& planner_of(const Tree& tree) {
    const std::string name = tree.name();
    auto found = planners_.find(name);
    if (found == planners_.end())
      found = planners_
                  .try_emplace(name, knowledge::Subject{name, platforms_.machine(), options_.share},
                               store_ ? &*store_ : nullptr,
                               tuning::PlannerOptions{.build_profiles = options_.build_profiles,
                                                      .adapt = options_.adapt && !options_.gpu_share,
                                                      .balance = {.max_deviation = options_.max_deviation}})
                  .first;
    return found->second;
  }

  // What is fixed, by the options or because there is only one type of device.
  knowledge::Configuration fixed(knowledge::Configuration configuration) const {
    if (options_.gpu_share) configuration.gpu_share = *options_.gpu_share;
    if (fission_) configuration.fission = *fission_;
    if (options_.overlap) configuration.overlap = *options_.overlap;
    if (!platforms_.has_gpu()) configuration.gpu_share = 0;
    if (!platforms_.has_cpu()) configuration.gpu_share = 1;
    return configuration;
  }

  knowledge::Configuration plan(tuning::Planner& planner, const Program& program) {
    const tuning::ColdStart cold{{.gpu_share = platforms_.static_gpu_share()},
                                 "nothing was known: the ratio of the devices' speeds"};
    return fixed(planner.plan(program.workload(), runner_.least_share(program, fixed(cold.configuration)), cold));
  }

  Report serve(const Asked& asked) {
    const double waited = static_cast<double>(clock_.now_ns() - asked.asked_ns) * 1e-9;
    const Program& program = *asked.program;
    const std::vector<Value>& values = asked.values;
    tuning::Planner& planner = planner_of(*asked.tree);
    const knowledge::Configuration configuration = plan(planner, program);
    std::vector<bool> begun_on_host = from_host(values);
    RunResult result = runner_.run(program, values, configuration, options_.gpu_share.has_value());
    result.report.waited_seconds = waited;
    result.report.why = options_.gpu_share ? "as the options say" : planner.profile().why;
    // One type of device has no balance, and a fixed share is not a finding.
    if (platforms_.has_gpu() && platforms_.has_cpu() && !options_.gpu_share)
      planner.record(result.measured, [&] { return search(program, values, std::move(begun_on_host)); });
    else
      planner.ran();
    return std::move(result.report);
  }

  std::vector<tuning::GroupChoice> groups_of(const Program& program) const {
    std::size_t choices = 1;
    for (const KernelUseOf& kernel : program.kernels()) choices = std::max(choices, kernel.node->options.blocks.size());
    const std::vector<Execution> executions = platforms_.executions(knowledge::Fission::none, 1);
    std::vector<tuning::GroupChoice> list;
    for (std::size_t i = 0; i < choices; ++i) {
      tuning::GroupChoice choice;
      for (const KernelUseOf& kernel : program.kernels()) {
        const KernelOptions& options = kernel.node->options;
        const unsigned block =
            options.blocks.empty() ? options.block : options.blocks[std::min(i, options.blocks.size() - 1)];
        choice.groups.push_back(block);
        for (const Execution& execution : executions) {
          if (!execution.gpu) continue;
          const auto occupancy =
              runtime_.occupancy(*kernel.node->kernel, {block}, shared_bytes(options, block), execution.device);
          if (!occupancy.empty()) choice.occupancy = std::min(choice.occupancy, occupancy.front().share);
        }
      }
      list.push_back(std::move(choice));
    }
    return list;
  }

  tuning::TunerResult search(const Program& program, const std::vector<Value>& values, std::vector<bool> from_host) {
    tuning::TunerSpace space{.fissions = platforms_.fissions(), .overlaps = {1}, .groups = groups_of(program)};
    for (unsigned overlap = 2; platforms_.has_gpu() && overlap <= most_overlap; ++overlap)
      space.overlaps.push_back(overlap);
    Clones clones(runtime_, program, values, std::move(from_host));
    const auto measure = [&](const knowledge::Configuration& configuration) {
      const tuning::Measured took = runner_.run(program, clones.fresh(), fixed(configuration), false).measured;
      base::log_debug("tuning: share {:.4f}, fission {}, overlap {}: {:.3f} ms, GPUs {:.3f}, CPUs {:.3f}",
                      configuration.gpu_share, knowledge::name(configuration.fission), configuration.overlap,
                      1e3 * took.seconds(), 1e3 * took.gpu_seconds, 1e3 * took.cpu_seconds);
      return took;
    };
    measure({.gpu_share = platforms_.static_gpu_share()});  // compiles the kernels
    tuning::TunerOptions options{.executions = 2, .final_seconds = 0.2, .final_splits = 3};
    options.precision = std::max(options.precision, runner_.least_share(program, {}));
    tuning::TunerResult result = tuning::tune(space, measure, options);
    result.configuration = fixed(result.configuration);
    return result;
  }

  Runtime& runtime_;
  ExecutorOptions options_;
  base::SteadyClock clock_;
  Platforms platforms_;
  Runner runner_;
  std::optional<knowledge::Fission> fission_;
  std::optional<knowledge::Store> store_;
  std::map<std::string, tuning::Planner> planners_;  // used on the worker's thread
  base::WorkerThread worker_;                        // last: it ends first
};

Executor::Executor(Runtime& runtime, const ExecutorOptions& options)
    : state_(std::make_unique<State>(runtime, options)) {}
Executor::~Executor() = default;

std::future<Report> Executor::run(const Tree& tree, std::vector<Value> values) {
  return state_->run(tree, std::move(values));
}

void Executor::tune(const Tree& tree, std::vector<Value> values) { state_->tune(tree, std::move(values)); }

}  // namespace heddle::skeleton
