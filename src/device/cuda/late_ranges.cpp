#include "device/cuda/late_ranges.hpp"

#include <algorithm>

#include "base/dedicated_thread.hpp"
#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "device/cuda/state.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/single_kernel.hpp"

namespace heddle::device::cuda {

ptx::RangeModule with_range_entries(const ptx::Module& module, bool ranges, bool pools) {
  using Form = ptx::RangeForm;
  std::vector<Form> forms;
  if (ranges) forms = {Form::box, Form::linear};
  if (pools) forms.push_back(Form::pool);
  const ptx::RangeFacts facts = ptx::find_range_facts(module);
  ptx::RangeModule made = ptx::add_range_entries(module, forms, facts);
  const bool refused = std::any_of(made.refusals.begin(), made.refusals.end(),
                                   [](const ptx::RangeRefusal& refusal) { return refusal.form == Form::box; });
  if (!refused) return made;
  forms.push_back(Form::prelude);
  ptx::RangeModule more = ptx::add_range_entries(module, forms, facts);
  const bool helps = std::any_of(made.refusals.begin(), made.refusals.end(), [&](const ptx::RangeRefusal& refusal) {
    return refusal.form == Form::box && more.find(refusal.original, Form::prelude);
  });
  return helps ? more : made;
}

LateRanges::LateRanges(const DeviceState& state, Module& module, const ptx::Module& ptx, std::uint32_t kernel)
    : state_(state), module_(module) {
  base::run_on_dedicated_thread([&] {
    const ptx::Module alone = ptx::take_function(ptx, kernel, kernel_);
    forms_ = with_range_entries(alone, true, false);
  });
}

LateRanges::~LateRanges() {
  if (made_.empty() || state_.gone()) return;
  const DeviceState::Current current(state_);
  for (const auto& [form, made] : made_)
    if (made.module) state_.driver().module_unload(made.module);
}

RangeCode LateRanges::code(const ptx::RangeEntry& entry) {
  const base::Lock lock(mutex_);
  auto found = made_.find(entry.form);
  if (found == made_.end()) {
    Made made;
    try {
      base::run_on_dedicated_thread([&] {
        const DeviceState::Current current(state_);
        make(made, entry);
      });
    } catch (...) {
      if (made.module && !state_.lost()) state_.driver().module_unload(made.module);
      throw;
    }
    found = made_.emplace(entry.form, std::move(made)).first;
  }
  return {&entry, found->second.function.get(), found->second.constants};
}

void LateRanges::make(Made& made, const ptx::RangeEntry& entry) const {
  std::uint32_t place = 0;
  ptx::Module alone = ptx::take_function(forms_.module, entry.function, place);
  const ptx::SharedVariables shared = ptx::share_variables(alone);
  made.module = load_ptx(state_, ptx::print(alone));
  made.function = std::make_unique<DriverFunction>(state_, made.module, alone.functions[place].name);
  bind_variables(made, shared.table, shared.global, shared.constant);
  made.function->load(state_);
}

void LateRanges::bind_variables(Made& made, const std::string& table, const std::vector<std::string>& global,
                                const std::vector<std::string>& constant) const {
  const auto first = [&](const std::string& name) {
    try {
      return module_.variable(name);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      base::fail(ErrorCode::unsupported,
                 "kernel '{}' cannot run a part of its grid on {}: the driver does not tell where its variable '{}' is",
                 base::demangled(forms_.module.functions[kernel_].name), state_.info().id, name);
    }
  };
  const auto own = [&](const std::string& name) {
    driver::Address address = 0;
    std::size_t bytes = 0;
    state_.check(state_.driver().module_global(&address, &bytes, made.module, name.c_str()),
                 "finding variable '" + name + "'");
    return address;
  };
  for (const std::string& name : constant) {
    const Span from = first(name);
    made.constants.push_back({own(name), from.address, from.size});
  }
  if (table.empty()) return;
  std::vector<driver::Address> addresses;
  for (const std::string& name : global) addresses.push_back(first(name).address);
  const driver::Stream stream = state_.service_stream();
  state_.check(state_.driver().copy_to_device_async(own(table), addresses.data(),
                                                    addresses.size() * sizeof(driver::Address), stream),
               "writing the addresses of variables");
  state_.check(state_.driver().stream_synchronize(stream), "writing the addresses of variables");
}

}  // namespace heddle::device::cuda
