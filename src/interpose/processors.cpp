#include "interpose/processors.hpp"

#include <algorithm>
#include <optional>

#include "base/variables.hpp"
#include "interpose/gate.hpp"

namespace heddle::interpose {
namespace {

// On NVIDIA's library a quota is a share of the time, in which a kernel has all SMs: fewer blocks would be slower.
bool sees_whole_device() {
  static const bool whole = base::text_variable("HEDDLE_TENANT_PROCESSORS") != "quota";
  return whole;
}

// Null: the program sees what there is.
Gate* gate_with_quota() {
  Gate* const gate = Gate::current();
  return gate && !sees_whole_device() ? gate : nullptr;
}

int part_of(int processors, const std::optional<Gate::Own>& own) {
  if (!own) return processors;
  return std::max(1, static_cast<int>(std::int64_t{processors} * own->units / own->of_units));
}

// Of the device of the thread's context; 0: it has none.
int processors_of_current() {
  CUdevice device = 0;
  int processors = 0;
  if (HEDDLE_FORWARD(cuCtxGetDevice, &device) != CUDA_SUCCESS) return 0;
  const CUdevice_attribute count = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
  return HEDDLE_FORWARD(cuDeviceGetAttribute, &processors, count, device) == CUDA_SUCCESS ? processors : 0;
}

// The driver's answer is that of all SMs.
void restrict_grid(int* least_grid) {
  if (!gate_with_quota()) return;
  const int processors = processors_of_current();
  if (processors > 0 && *least_grid % processors == 0)
    *least_grid = *least_grid / processors * told_processors(processors);
}

}  // namespace

int told_processors(int of_device) {
  Gate* const gate = gate_with_quota();
  if (!gate) return of_device;
  static const std::optional<Gate::Own> first = gate->own();
  return part_of(of_device, first);
}

CUresult check_cooperative(CUfunction function, std::uint64_t blocks, std::uint64_t threads, unsigned shared) {
  Gate* const gate = gate_with_quota();
  if (!gate) return CUDA_SUCCESS;
  const int processors = processors_of_current(), own = part_of(processors, gate->own());
  if (own >= processors) return CUDA_SUCCESS;
  int each = 0;
  if (HEDDLE_FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessor, &each, function, static_cast<int>(threads),
                     static_cast<std::size_t>(shared)) != CUDA_SUCCESS)
    return CUDA_SUCCESS;
  const auto most = static_cast<std::uint64_t>(each) * static_cast<std::uint64_t>(own);
  return blocks > most ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

}  // namespace heddle::interpose

using namespace heddle::interpose;

HEDDLE_INTERPOSER(cuDeviceGetAttribute)(int* value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult result = HEDDLE_FORWARD(cuDeviceGetAttribute, value, attribute, device);
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT && result == CUDA_SUCCESS) *value = told_processors(*value);
  return result;
}

HEDDLE_INTERPOSER(cuOccupancyMaxPotentialBlockSize)
(int* least_grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  const CUresult result =
      HEDDLE_FORWARD(cuOccupancyMaxPotentialBlockSize, least_grid, block, function, shared_of, shared, limit);
  if (result == CUDA_SUCCESS) restrict_grid(least_grid);
  return result;
}

HEDDLE_INTERPOSER(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int* least_grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit,
 unsigned flags) {
  const CUresult result = HEDDLE_FORWARD(cuOccupancyMaxPotentialBlockSizeWithFlags, least_grid, block, function,
                                         shared_of, shared, limit, flags);
  if (result == CUDA_SUCCESS) restrict_grid(least_grid);
  return result;
}
