#include "cuda_api/image/mapped_range.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::cuda_api {
namespace {

struct Search {
  std::uintptr_t at;
  std::uintptr_t end = 0;  // of the segment; 0: none has been found
};

int look(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.at < begin || search.at - begin >= segment.p_memsz) continue;
    search.end = begin + segment.p_memsz;
    return 1;
  }
  return 0;
}

// A part at a time, so that a size that is wrong costs no memory and no time.
bool pages_are_mapped(std::uintptr_t begin, std::uintptr_t end) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::uintptr_t pages = 1024;
  std::vector<unsigned char> resident(pages);
  for (begin = begin / page * page; begin < end;) {
    const std::uintptr_t size = std::min(end - begin, pages * page);
    if (::mincore(reinterpret_cast<void*>(begin), size, resident.data()) != 0) return false;
    begin += size;
  }
  return true;
}

}  // namespace

bool is_mapped(const void* at, std::size_t size) {
  Search search{.at = reinterpret_cast<std::uintptr_t>(at)};
  if (size > UINTPTR_MAX - search.at) return false;
  ::dl_iterate_phdr(&look, &search);
  if (search.end != 0) return size <= search.end - search.at;
  return pages_are_mapped(search.at, search.at + size);
}

}  // namespace heddle::cuda_api
