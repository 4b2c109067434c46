#include "cuda_api/image/fat_binary.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/fail.hpp"
#include "cuda_api/image/mapped_range.hpp"

namespace heddle::cuda_api {
namespace {

constexpr std::uint32_t container_magic = 0xba55ed50, wrapper_magic = 0x466243b1;

struct Container {
  std::uint32_t magic = container_magic;
  std::uint16_t version = 1, header_bytes = 16;
  std::uint64_t bytes = 0;  // behind the header
};
static_assert(sizeof(Container) == 16);

enum class Kind : std::uint16_t { ptx = 1, machine_code = 2 };

// The part of an entry's header that all have; its own length says how much more there is.
struct Entry {
  Kind kind = Kind::ptx;
  std::uint16_t version = 0x101;
  std::uint32_t header_bytes = 0;
  std::uint64_t bytes = 0;             // of the payload with what pads it
  std::uint32_t compressed_bytes = 0;  // 0: it is not compressed
  std::uint32_t options_at = 0;
  std::uint16_t minor = 0, major = 0;  // of the PTX
  std::uint32_t arch = 0;
  std::uint32_t name_at = 0, name_bytes = 0;
  std::uint64_t flags = 0;
  std::uint64_t unused = 0;
  std::uint64_t plain_bytes = 0;  // of a compressed one
};
static_assert(sizeof(Entry) == 64);

// As bits of Entry::flags.
constexpr std::uint64_t is_64_bit = 0x1, is_linux = 0x10, has_lz4 = 0x2000, has_zstd = 0x8000;

// What a program registers.
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* prelinked;  // version 2: containers, and a null pointer behind the last
};

[[noreturn]] void damaged(const char* what) { base::fail(ErrorCode::parse_error, "a fat binary is damaged: {}", what); }

template <class T>
T load(std::span<const std::byte> bytes) {
  T value;
  if (bytes.size() < sizeof value) damaged("it ends within a header");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// No PTX of a program is larger; a damaged size must not take the machine's memory.
constexpr std::uint64_t most_plain_bytes = std::uint64_t{2} << 30;

std::string decompress(const Entry& entry, std::span<const std::byte> payload) {
  if (entry.compressed_bytes > payload.size()) damaged("an entry is longer than the container");
  if (entry.plain_bytes > most_plain_bytes) damaged("an entry claims to be larger than 2 GiB");
  std::string text(entry.plain_bytes, '\0');
  const auto* from = reinterpret_cast<const char*>(payload.data());
  if (entry.flags & has_zstd) {
    const std::size_t got = ZSTD_decompress(text.data(), text.size(), from, entry.compressed_bytes);
    if (ZSTD_isError(got) || got != text.size()) damaged("what zstd compressed does not decompress");
  } else if (entry.flags & has_lz4) {
    const int got =
        LZ4_decompress_safe(from, text.data(), static_cast<int>(entry.compressed_bytes), static_cast<int>(text.size()));
    if (got < 0 || static_cast<std::size_t>(got) != text.size()) damaged("what LZ4 compressed does not decompress");
  } else {
    base::fail(
        ErrorCode::unsupported,
        "the PTX of a fat binary is compressed in a way that is not known (flags {:#x}); nvcc's --compress-mode=speed "
        "or none makes one that can be read",
        entry.flags);
  }
  return text;
}

void read_entry(FatBinary& made, const Entry& entry, std::span<const std::byte> payload) {
  if (entry.kind == Kind::machine_code) {
    made.machine_code.push_back(entry.arch);
  } else if (entry.kind == Kind::ptx) {
    std::string text = entry.compressed_bytes != 0
                           ? decompress(entry, payload)
                           : std::string(reinterpret_cast<const char*>(payload.data()), payload.size());
    text.resize(std::min(text.size(), text.find('\0')));  // what pads it
    made.ptx.push_back({entry.arch, std::move(text)});
  }
}

// All that are known have 16. What a damaged one skips may be anything, and is not to be read as entries.
constexpr std::uint16_t most_header_bytes = 256;

// Returns what is behind the container.
std::span<const std::byte> read_container(FatBinary& made, std::span<const std::byte> bytes) {
  const auto container = load<Container>(bytes);
  if (container.magic != container_magic) damaged("it does not begin as one");
  if (container.header_bytes < sizeof container || container.header_bytes > most_header_bytes ||
      container.header_bytes > bytes.size() || container.bytes > bytes.size() - container.header_bytes)
    damaged("it is longer than the memory that it is in");
  std::span<const std::byte> rest = bytes.subspan(container.header_bytes, container.bytes);
  while (!rest.empty()) {
    const auto entry = load<Entry>(rest);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > rest.size() ||
        entry.bytes > rest.size() - entry.header_bytes)
      damaged("an entry is longer than the container");
    read_entry(made, entry, rest.subspan(entry.header_bytes, entry.bytes));
    rest = rest.subspan(entry.header_bytes + entry.bytes);
  }
  return bytes.subspan(container.header_bytes + container.bytes);
}

void add_entry(std::string& entries, const FatPtx& ptx, bool compressed) {
  constexpr std::size_t alignment = 8;
  Entry entry;
  entry.header_bytes = sizeof entry;
  entry.major = 8;
  entry.arch = ptx.arch;
  entry.flags = is_64_bit | is_linux;
  std::string payload = ptx.text + '\0';
  if (compressed) {
    std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(payload.size()))), '\0');
    const int bytes = LZ4_compress_default(payload.data(), packed.data(), static_cast<int>(payload.size()),
                                           static_cast<int>(packed.size()));
    entry.plain_bytes = payload.size();
    entry.compressed_bytes = static_cast<std::uint32_t>(bytes);
    entry.flags |= has_lz4;
    payload = packed.substr(0, static_cast<std::size_t>(bytes));
  }
  payload.resize((payload.size() + alignment - 1) / alignment * alignment);
  entry.bytes = payload.size();
  entries.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  entries += payload;
}

}  // namespace

bool is_fat_binary(std::span<const std::byte> bytes) {
  std::uint32_t magic = 0;
  if (bytes.size() < sizeof(Container)) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == container_magic;
}

FatBinary read_fat_binary(std::span<const std::byte> bytes) {
  FatBinary made;
  const std::span<const std::byte> behind = read_container(made, bytes);
  const bool alone = !is_fat_binary(behind);
  if (alone && !made.machine_code.empty())
    made.container.assign(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(behind.size()));
  for (bytes = behind; is_fat_binary(bytes);) bytes = read_container(made, bytes);
  return made;
}

FatBinary read_first_binary(std::span<const std::byte> bytes) {
  FatBinary made;
  read_container(made, bytes);
  return made;
}

FatBinary read_fat_binary(const void* container) {
  if (!container) damaged("there is none");
  Container head;
  std::memcpy(&head, container, sizeof head);
  if (head.magic != container_magic) damaged("it does not begin as one");
  // Nothing but the header says where it ends.
  if (head.bytes > SIZE_MAX - head.header_bytes || !is_mapped(container, head.header_bytes + head.bytes))
    damaged("it is longer than the memory that it is in");
  return read_fat_binary({static_cast<const std::byte*>(container), head.header_bytes + head.bytes});
}

FatBinary read_registered_binary(const void* wrapper) {
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof head);
  if (head.magic != wrapper_magic) damaged("what the program registers does not begin as one");
  return read_fat_binary(head.data);
}

std::vector<FatBinary> read_prelinked_binaries(const void* wrapper) {
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof head);
  std::vector<FatBinary> all;
  if (head.version < 2 || !head.prelinked) return all;
  for (const void* const* at = head.prelinked; *at; ++at) all.push_back(read_fat_binary(*at));
  return all;
}

std::vector<std::byte> write_fat_binary(std::span<const FatPtx> all, bool compressed) {
  std::string entries;
  for (const FatPtx& ptx : all) add_entry(entries, ptx, compressed);
  Container container;
  container.bytes = entries.size();
  std::vector<std::byte> made(sizeof container + entries.size());
  std::memcpy(made.data(), &container, sizeof container);
  std::memcpy(made.data() + sizeof container, entries.data(), entries.size());
  return made;
}

const FatPtx* choose_ptx(const FatBinary& binary, unsigned arch) {
  const FatPtx* best = nullptr;
  for (const FatPtx& ptx : binary.ptx) {
    if (arch != 0 && ptx.arch > arch) continue;
    if (!best || ptx.arch > best->arch) best = &ptx;
  }
  return best;
}

const FatPtx* closest_ptx(const FatBinary& binary, unsigned arch) {
  if (const FatPtx* const fits = choose_ptx(binary, arch)) return fits;
  const auto oldest = std::ranges::min_element(binary.ptx, {}, &FatPtx::arch);
  return oldest == binary.ptx.end() ? nullptr : &*oldest;
}

}  // namespace heddle::cuda_api
