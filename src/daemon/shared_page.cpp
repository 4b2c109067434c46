#include "daemon/shared_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"
#include "base/system_limits.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {
namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Page* map_page(int fd) {
  void* const memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Page*>(memory);
}

}  // namespace

void SharedPage::Unmap::operator()(Page* page) const { ::munmap(page, sizeof(Page)); }

SharedPage SharedPage::create() {
  Descriptor memory(::memfd_create("heddle-tenant", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ::ftruncate(memory.get(), sizeof(Page)) != 0 || ::fcntl(memory.get(), F_ADD_SEALS, seals) != 0)
    base::fail(ErrorCode::io_error, "there can be no memory to share with a tenant: {}", base::system_message(errno));
  Page* const page = map_page(memory.get());
  if (page == nullptr)
    base::fail(ErrorCode::io_error, "shared memory cannot be mapped: {}", base::system_message(errno));
  return {std::move(memory), page};
}

std::optional<SharedPage> SharedPage::map(Descriptor memory) {
  struct stat status{};
  const int has = ::fcntl(memory.get(), F_GET_SEALS);
  if (has < 0 || (has & seals) != seals || ::fstat(memory.get(), &status) != 0 ||
      status.st_size != static_cast<off_t>(sizeof(Page)))
    return std::nullopt;
  Page* const page = map_page(memory.get());
  if (page == nullptr) return std::nullopt;
  return SharedPage(std::move(memory), page);
}

}  // namespace heddle::daemon
