#include "cuda_api/core/image.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/dedicated_thread.hpp"
#include "cuda_api/core/graph_condition.hpp"
#include "cuda_api/core/managed_variables.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/program_binary.hpp"

namespace heddle::cuda_api {
namespace {

std::string list_of(const std::vector<unsigned>& gpus) {
  return gpus.empty() ? "nothing" : fmt::format("machine code for sm_{}", fmt::join(gpus, ", sm_"));
}

[[noreturn]] void no_ptx(const FatBinary& binary, const Context& context) {
  if (!binary.ptx.empty())
    throw Failure(cudaErrorNoKernelImageForDevice,
                  fmt::format("the program's PTX is for GPUs newer than {} (compute_{} at the least)",
                              context.info().id, choose_ptx(binary, 0)->arch));
  throw Failure(cudaErrorNoKernelImageForDevice,
                fmt::format("the program carries {} and no PTX, which is what Heddle runs; build it with PTX, as with "
                            "nvcc -gencode arch=compute_80,code=compute_80",
                            list_of(binary.machine_code)));
}

}  // namespace

const FatPtx* ptx_for(const FatBinary& binary, const Context& context) {
  const bool is_gpu = context.capability() != 0 && !context.info().simulated;
  return is_gpu ? choose_ptx(binary, context.capability()) : closest_ptx(binary, context.reported_capability());
}

const FatBinary& Image::binary() {
  if (!binary_) binary_ = read_program_binary(linked_.empty() ? std::span(&wrapper_, 1) : std::span(linked_));
  return *binary_;
}

void Image::place(PlacedVariable variable) {
  const base::Lock lock(mutex_);
  placed_.push_back(std::move(variable));
}

void Image::write_values_of(const FatBinary& file) {
  // All of its texts have the same values.
  const FatPtx* const ptx = choose_ptx(file, 0);
  if (!ptx) return;
  for (OpenAddress& address : heddle::write_initial_values(ptx->text, placed_)) open_.push_back(std::move(address));
  // What another file has said before may be known now.
  std::erase_if(open_, [&](const OpenAddress& open) HEDDLE_NO_THREAD_SAFETY_ANALYSIS {
    const auto found = std::find_if(placed_.begin(), placed_.end(),
                                    [&](const PlacedVariable& variable) { return variable.name == open.name; });
    if (found == placed_.end()) return false;
    const std::uint64_t address =
        reinterpret_cast<std::uint64_t>(found->data) + static_cast<std::uint64_t>(open.offset);
    std::uint64_t there = 0;
    std::memcpy(&there, open.place, sizeof there);
    if (there == address_of_device) std::memcpy(open.place, &address, sizeof address);
    return true;
  });
}

void Image::write_initial_values(const void* wrapper) {
  const base::Lock lock(mutex_);
  if (placed_.empty()) return;
  base::run_on_dedicated_thread([&]() HEDDLE_NO_THREAD_SAFETY_ANALYSIS {  // this thread holds the lock meanwhile
    try {
      write_values_of(read_registered_binary(wrapper));
    } catch (const std::exception& error) {  // said where they are used
      problem_ = error.what();
    }
  });
}

void Image::write_initial_values() {
  {
    const base::Lock lock(mutex_);
    open_.clear();
  }
  if (linked_.empty()) return write_initial_values(wrapper_);
  for (const void* wrapper : linked_) write_initial_values(wrapper);
}

heddle::Module Image::on(Context& context) {
  const base::Lock lock(mutex_);
  const auto number = static_cast<std::size_t>(context.slot());
  if (loaded_.size() <= number) loaded_.resize(number + 1);
  Loaded& loaded = loaded_[number];
  if (loaded.module && loaded.epoch == context.epoch()) return *loaded.module;
  if (!placed_.empty()) {
    require_managed(context);
    if (!problem_.empty()) throw Failure(cudaErrorNotSupported, problem_);
  }
  // This thread holds the lock meanwhile.
  base::run_on_dedicated_thread([&]() HEDDLE_NO_THREAD_SAFETY_ANALYSIS {
    const FatPtx* ptx = ptx_for(binary(), context);
    if (!ptx) no_ptx(binary(), context);
    loaded.module.reset();
    const std::string text = with_set_conditional(ptx->text);
    heddle::Module module = Process::get().runtime().load_ptx(text, "the program's PTX");
    // What the driver runs must be what the PTX says.
    context.device().load(
        module, text == ptx->text ? std::span<const std::byte>(binary_->container) : std::span<const std::byte>(),
        placed_);
    loaded.module.emplace(std::move(module));
  });
  loaded.epoch = context.epoch();
  return *loaded.module;
}

unsigned Image::ptx_arch(Context& context) {
  const base::Lock lock(mutex_);
  const FatPtx* ptx = ptx_for(binary(), context);
  return ptx ? ptx->arch : 0;
}

bool Image::is_on(const Context& context) {
  const auto slot = static_cast<std::size_t>(context.slot());
  const base::Lock lock(mutex_);
  return slot < loaded_.size() && loaded_[slot].module.has_value();
}

void Image::unload() {
  const base::Lock lock(mutex_);
  loaded_.clear();
}

}  // namespace heddle::cuda_api
