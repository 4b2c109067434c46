// A module's PTX and its loaded form on each device that has needed it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/module.hpp"
#include "graph/access.hpp"
#include "heddle/placed_variables.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/ir.hpp"
#include "runtime/core.hpp"

namespace heddle::runtime {

class LoadedCode {
 public:
  // `text`: the PTX; `name`: what messages call it.
  LoadedCode(std::shared_ptr<Core> core, std::shared_ptr<const ptx::Module> module, std::string text, std::string name);
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  const std::shared_ptr<Core>& core() const { return core_; }
  const ptx::Module& ptx() const { return *module_; }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  // What the analyses find of all kernels, once. Any thread.
  const ptx::analysis::Inspection& inspection();

  // Loads the module there on first use, which may compile it. `machine_code`, `placed`: LoadOptions. Any thread,
  // without the core's lock.
  device::Module& on(std::size_t place, std::span<const std::byte> machine_code = {},
                     std::span<const PlacedVariable> placed = {});

  // What a task does that uses the module's variables: they are one object on each place, however many there are. Needs
  // the core's lock.
  graph::Access variables_access(std::size_t place, graph::Mode mode);
  // Whether variables may have other values on one device than on another: each has its own, and they may have been
  // changed. Needs the core's lock.
  bool variables_differ() const { return variables_differ_; }
  void let_variables_differ() { variables_differ_ = true; }
  // Their object in the DAG of held tasks. Needs the core's lock.
  graph::ObjectId logical_variables();
  // No task uses the variables any more. Needs the core's lock.
  void remove_variables();

 private:
  std::shared_ptr<Core> core_;
  std::shared_ptr<const ptx::Module> module_;
  std::string text_, name_;
  std::once_flag inspected_;
  ptx::analysis::Inspection inspection_;
  // By place. Modules are loaded under a lock of their own.
  std::mutex loading_;
  std::vector<std::shared_ptr<device::Module>> loaded_;
  std::vector<std::atomic<device::Module*>> known_;
  // Guarded by the core's lock.
  bool variables_differ_ = false;
  std::optional<graph::ObjectId> logical_variables_;
  std::vector<std::optional<graph::ObjectId>> variables_;  // by place; none where they have not been used
};

}  // namespace heddle::runtime
