#include "cuda_api/image/device_runtime.hpp"

#include <charconv>

namespace heddle::cuda_api {
namespace {

// The workspace's first word counts the blocks that have arrived. The block at the origin adds what is missing to 2^31,
// the others 1 each: the top bit changes with the last block of a round, and the low bits are 0 again. This is the
// barrier of CUDA's cooperative groups, so that a kernel may use both. A handle other than 0 is that of the grid.
constexpr std::string_view text = R"(.version 6.3
.target sm_70
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %is_grid;
  .reg .b32 %scope, %high, %low;
  .reg .b64 %workspace;
  ld.param.b32 %scope, [scope];
  mov.b32 %high, %envreg1;
  mov.b32 %low, %envreg2;
  mov.b64 %workspace, {%low, %high};
  setp.eq.u32 %is_grid, %scope, 1;
  selp.b64 %workspace, %workspace, 0, %is_grid;
  st.param.b64 [handle], %workspace;
  ret;
}

.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %none, %waits, %origin;
  .reg .b32 %x, %y, %z, %blocks, %add, %before, %now, %changed;
  .reg .b64 %workspace;
  ld.param.b64 %workspace, [handle];
  setp.eq.u64 %none, %workspace, 0;
  @%none trap;
  barrier.sync 0;
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %z, %tid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.ne.u32 %waits, %x, 0;
  @%waits bra $together;
  mov.u32 %x, %nctaid.x;
  mov.u32 %y, %nctaid.y;
  mov.u32 %z, %nctaid.z;
  mul.lo.u32 %blocks, %x, %y;
  mul.lo.u32 %blocks, %blocks, %z;
  sub.u32 %add, 0x80000001, %blocks;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %z, %ctaid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.eq.u32 %origin, %x, 0;
  selp.b32 %add, %add, 1, %origin;
  fence.acq_rel.gpu;
  atom.add.acq_rel.gpu.u32 %before, [%workspace], %add;
$wait:
  ld.acquire.gpu.u32 %now, [%workspace];
  xor.b32 %changed, %before, %now;
  setp.lt.s32 %none, %changed, 0;
  @%none bra $arrived;
  nanosleep.u32 100;
  bra $wait;
$arrived:
  fence.acq_rel.gpu;
$together:
  barrier.sync 0;
  mov.b32 %x, 0;
  st.param.b32 [error], %x;
  ret;
}
)";

constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::size_t header_bytes = 60, size_at = 48, size_digits = 10;

}  // namespace

bool is_device_runtime(std::span<const std::byte> bytes) {
  const std::string_view archive(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!archive.starts_with(archive_magic)) return false;
  // A name of more than 15 characters is in the member "//", which comes before the files.
  for (std::size_t at = archive_magic.size(); at + header_bytes <= archive.size();) {
    const std::string_view header = archive.substr(at, header_bytes);
    std::size_t size = 0;
    const char* const digits = header.data() + size_at;
    if (std::from_chars(digits, digits + size_digits, size).ec != std::errc()) return false;
    const std::string_view content = archive.substr(at + header_bytes, size);
    if (header.starts_with("//")) return content.find("cuda_device_runtime.o") != content.npos;
    at += header_bytes + size + size % 2;  // members begin at even places
  }
  return false;
}

std::string_view device_runtime_ptx() { return text; }

}  // namespace heddle::cuda_api
