#include "device/cpu/texture_calls.hpp"

#include "device/cpu/runtime_call.hpp"
#include "device/cpu/services.hpp"
#include "ptx/instruction.hpp"
#include "texture/execute.hpp"

namespace heddle::device::cpu {
namespace {

// The checks of a launch, for the accesses of one lane.
class LaneAccesses {
 public:
  LaneAccesses(WarpContext* context, Warp& warp, const texture::Operation& operation, int lane)
      : context_(context), runtime_(*context->block->launch->runtime), lane_(lane), checks_(warp.block->job->checks()) {
    const bool reduces = operation.kind >= texture::Kind::reduce, writes = operation.writes();
    access_ = reduces ? CheckedAccess::both : writes ? CheckedAccess::writes : CheckedAccess::reads;
    marks_ = access_ | (reduces ? CheckedAccess::strong : 0);
  }

  // Does not return from a bad access.
  bool operator()(std::uint64_t address, std::uint32_t bytes) {
    if (!checks_.kernels()) return true;
    // A texel lies at a multiple of its channels' size, not of its own: it is looked at byte by byte where it may be
    // misaligned.
    const std::uint32_t whole = address % bytes == 0 ? bytes : 1;
    for (std::uint32_t done = 0; done < bytes; done += whole) look(address + done, whole);
    return true;
  }

 private:
  // Of memory, then of races and reads of memory that was never written.
  void look(std::uint64_t address, std::uint32_t bytes) {
    std::uint64_t addresses[32];
    addresses[lane_] = address;
    const std::uint32_t mask = 1u << lane_;
    constexpr auto global = static_cast<std::uint32_t>(ptx::Space::global);
    if (checks_.memory)
      runtime_.check(context_, addresses, nullptr, mask, bytes, global, access_, 0, KnownRanges::no_site, 0);
    if (checks_.race || checks_.init)
      runtime_.check_marked(context_, addresses, nullptr, nullptr, mask, bytes, global, marks_ | element(bytes),
                            packed_site(KnownRanges::no_site, 0));
  }
  // One element, with which the kernel computes.
  static std::uint32_t element(std::uint32_t bytes) {
    return static_cast<std::uint32_t>(__builtin_ctz(bytes)) << CheckedAccess::size_shift |
           1u << CheckedAccess::used_shift;
  }

  WarpContext* context_;
  const RuntimeTable& runtime_;
  int lane_;
  heddle::Checks checks_;
  std::uint32_t access_ = 0, marks_ = 0;
};

void call_texture(WarpContext* context, const std::uint64_t* handles, const std::uint64_t* arguments,
                  std::uint64_t* results, std::uint32_t mask, std::uint32_t lanes, std::uint64_t low,
                  std::uint64_t high) {
  HEDDLE_ENTER(context);
  const void* const site = warp.site;
  const texture::Operation operation = texture::unpack(low, high);
  const texture::Table& table = warp.block->worker->services().textures;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    std::uint64_t own[texture::Operation::most_arguments];
    for (unsigned i = 0; i < operation.arguments; ++i) own[i] = arguments[i * lanes + static_cast<unsigned>(lane)];
    texture::Words words{};
    const texture::Mistake mistake =
        texture::execute(table, operation, handles[lane], own, words, LaneAccesses(context, warp, operation, lane));
    if (mistake != texture::Mistake::none) {
      warp.site = site;  // the checks have set it
      Fault& fault = begin_fault(warp, FaultKind::bad_texture, lane);
      fault.address = handles[lane];
      fault.number = static_cast<std::uint32_t>(mistake);
      end_launch(warp);
    }
    for (unsigned i = 0; i < operation.results; ++i) results[i * lanes + static_cast<unsigned>(lane)] = words[i];
  }
}

}  // namespace

void add_texture_calls(RuntimeTable& table) { table.texture = &call_texture; }

}  // namespace heddle::device::cpu
