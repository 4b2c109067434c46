// A module as the runtime holds it: its PTX, its kernels, and its loaded form on each device that has needed it.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/memory.hpp"
#include "device/module.hpp"
#include "graph/dag.hpp"
#include "heddle/kernel.hpp"
#include "heddle/placed_variables.hpp"
#include "ptx/analysis/access.hpp"
#include "ptx/ir.hpp"
#include "runtime/ids.hpp"

namespace heddle::runtime {

class Core;
class ModuleState;
struct AwaitingForm;

class KernelState {
 public:
  KernelState(ModuleState& module, const ptx::Function& function);
  ~KernelState();
  KernelState(const KernelState&) = delete;
  KernelState& operator=(const KernelState&) = delete;
  // The same kernel with what a signature says of it. `kernel` has been analysed.
  KernelState(const KernelState& kernel, KernelInfo info);

  ModuleState& module() const { return module_; }
  std::uint64_t id() const { return id_; }  // of no other, also of later ones
  const std::string& name() const { return function_.name; }
  // Any thread; the first call analyses the whole module.
  const KernelInfo& info() {
    if (!analysed_.load(std::memory_order_acquire)) [[unlikely]]
      analyse();
    return info_;
  }
  // After info(): bytes of its packed arguments, and takes_address() of a parameter.
  std::size_t packed_bytes() const { return packed_bytes_; }
  bool takes_address(std::size_t parameter) const { return takes_address_[parameter]; }
  // Whether ranges of its blocks can run in any order, as info() says, without an analysis of the module's other
  // kernels. Any thread.
  bool blocks_independent();
  // What the PTX alone shows of a parameter, whatever a signature says. After info().
  struct Shown {
    Access access = Access::none;
    ptx::analysis::AccessWitness read_at = {}, written_at = {};  // also where the access is unknown
  };
  // Its signature has directions.
  bool annotated() const { return annotated_; }
  const Shown& shown(std::size_t parameter) const { return shown_[parameter]; }
  // What it does to the module's variables; nothing: none. After info().
  std::optional<graph::Mode> variables() const { return variables_; }
  // Loads the module there on first use. Needs the core's lock.
  device::Function& on(std::size_t place);
  // Its form that begins before its arrays are there; null where it has none. Made and loaded on first use, which can
  // take as long as loading the kernel did. Needs the core's lock. After info().
  AwaitingForm* awaiting(std::size_t place);
  // Needs the core's lock.
  const std::shared_ptr<KernelHistory>& history() { return history_; }

 private:
  friend class ModuleState;
  void analyse();

  ModuleState& module_;
  const ptx::Function& function_;
  std::uint64_t id_;
  std::atomic<bool> analysed_{false};
  KernelInfo info_;
  std::size_t packed_bytes_ = 0;
  std::vector<char> takes_address_;  // by parameter
  std::vector<Shown> shown_;         // by parameter
  bool annotated_ = false;
  std::optional<graph::Mode> variables_;
  std::vector<device::Function*> loaded_;                               // by place
  std::vector<std::optional<std::unique_ptr<AwaitingForm>>> awaiting_;  // by place, once it was asked for
  std::shared_ptr<KernelHistory> history_ = std::make_shared<KernelHistory>();
};

class ModuleState : public std::enable_shared_from_this<ModuleState> {
 public:
  ModuleState(std::shared_ptr<Core> core, std::shared_ptr<const ptx::Module> module, std::string text,
              std::string name);
  ~ModuleState();  // waits for its launches
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  const std::shared_ptr<Core>& core() const { return core_; }
  const ptx::Module& ptx() const { return *module_; }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  const std::vector<std::unique_ptr<KernelState>>& kernels() const { return kernels_; }

  // Fills the info of all kernels, once. Any thread.
  void analyse();
  // See heddle::Module::kernel.
  std::shared_ptr<KernelState> kernel(std::string_view name);
  std::shared_ptr<KernelState> kernel(std::string_view name, std::string_view signature);

  // Need the core's lock. `machine_code`, `placed`: LoadOptions.
  device::Module& on(std::size_t place, std::span<const std::byte> machine_code = {},
                     std::span<const PlacedVariable> placed = {});
  // What a task does that uses the module's variables: they are one object on each place, however many there are. Needs
  // the lock.
  graph::Access variables_access(std::size_t place, graph::Mode mode);
  // Whether variables may have other values on one device than on another: each has its own, and somebody was able to
  // change them. Needs the lock.
  bool variables_differ() const { return variables_differ_; }
  void let_variables_differ() { variables_differ_ = true; }

  // See heddle::Module::write_variable and read_variable.
  void write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes, std::size_t place);
  void read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes, std::size_t place);

 private:
  // The name in the PTX of a variable that is named as there or as in the source. Throws not_found.
  std::string variable_name(std::string_view name) const;
  device::Span variable(std::string_view name, std::size_t offset, std::size_t bytes, std::size_t place);

  std::shared_ptr<Core> core_;
  std::shared_ptr<const ptx::Module> module_;
  std::string text_, name_;
  std::vector<std::unique_ptr<KernelState>> kernels_;
  std::once_flag analysed_;
  // Kernels with signatures, by kernel and signature: launches of equal ones are alike.
  std::map<std::pair<KernelState*, std::string>, std::unique_ptr<KernelState>> with_signatures_;
  std::mutex signatures_mutex_;
  std::vector<std::shared_ptr<device::Module>> loaded_;  // by place
  bool variables_differ_ = false;
  std::vector<std::optional<graph::ObjectId>> variables_;  // by place; none where nobody has used them
};

}  // namespace heddle::runtime
