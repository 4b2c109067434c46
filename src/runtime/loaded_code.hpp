// A module's PTX and its loaded form on each device that has used it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "core/core.hpp"
#include "device/module.hpp"
#include "graph/access.hpp"
#include "heddle/placed_variables.hpp"
#include "modules/source_types.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/ir.hpp"

namespace heddle::runtime {

class LoadedCode {
 public:
  // `text`: the PTX; `name`: its name in messages.
  LoadedCode(std::shared_ptr<core::Core> core, std::shared_ptr<const ptx::Module> module, std::string text,
             std::string name);
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  const std::shared_ptr<core::Core>& core() const { return core_; }
  const ptx::Module& ptx() const { return *module_; }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  // The analyses' results for all kernels; the first call analyses them. Any thread.
  const ptx::analysis::Inspection& inspection();
  // What is known of the kernels' source; the first call reads it. Any thread.
  const modules::SourceTypes& source_types();

  // The module on the place. The first call loads it, which may compile it. `machine_code`, `placed`: LoadOptions. Any
  // thread, without the core's lock.
  device::Module& on(std::size_t place, std::span<const std::byte> machine_code = {},
                     std::span<const PlacedVariable> placed = {});

  // The access of a task that uses the module's variables. All variables of a place are one object. Needs the core's
  // lock.
  graph::Access variables_access(std::size_t place, graph::Mode mode);
  // Whether the variables may have different values on different devices. Each device has its own, and a kernel or the
  // program may have changed them. Needs the core's lock.
  bool variables_differ() const { return variables_differ_; }
  void let_variables_differ() { variables_differ_ = true; }
  // The variables' object in the DAG of held tasks. Needs the core's lock.
  graph::ObjectId logical_variables();
  // Removes the variables' objects, once no task uses them any more. Needs the core's lock.
  void remove_variables();

 private:
  std::shared_ptr<core::Core> core_;
  std::shared_ptr<const ptx::Module> module_;
  std::string text_, name_;
  std::once_flag inspected_;
  ptx::analysis::Inspection inspection_;
  std::once_flag types_read_;
  std::optional<modules::SourceTypes> source_types_;
  // By place. Modules are loaded under a lock of their own.
  base::Mutex loading_;
  std::vector<std::shared_ptr<device::Module>> loaded_ HEDDLE_GUARDED_BY(loading_);
  std::vector<std::atomic<device::Module*>> known_;
  // Guarded by the core's lock.
  bool variables_differ_ = false;
  std::optional<graph::ObjectId> logical_variables_;
  std::vector<std::optional<graph::ObjectId>> variables_;  // by place; nothing if they have not been used there
};

}  // namespace heddle::runtime
