#include "device/host_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/memory_limit.hpp"

namespace heddle::device {
namespace {

class HostMemory final : public Memory {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(bytes) {
    const std::size_t alignment = bytes >= 4096 ? 4096 : 64;
    const std::size_t most = ~std::size_t{0} - alignment;
    // Rounded up, as aligned_alloc wants it.
    if (bytes <= most)
      data_ = std::aligned_alloc(alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
    if (!data_)
      base::fail(ErrorCode::out_of_memory, "cannot allocate {} of host memory{}", base::format_bytes(bytes),
                 base::memory_limit_note());
  }
  ~HostMemory() override { std::free(data_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  Span span() const override { return Span::host(data_, bytes_); }
  void* host() const override { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Memory> make_host_memory(std::size_t bytes) { return std::make_unique<HostMemory>(bytes); }

}  // namespace heddle::device
