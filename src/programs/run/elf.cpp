#include "programs/run/elf.hpp"

#include <elf.h>

#include <cstring>

#include "base/file.hpp"

namespace heddle::programs {
namespace {

// A value of the file; zeros where the file is too short for it.
template <class T>
T load(const std::string& bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The text at a place of a table of strings.
std::string text_at(const std::string& bytes, std::size_t table, std::size_t table_size, std::size_t at) {
  if (at >= table_size || table > bytes.size() || table_size > bytes.size() - table) return {};
  const char* begin = bytes.data() + table + at;
  return std::string(begin, ::strnlen(begin, table_size - at));
}

void add_folders(std::vector<std::string>& folders, const std::string& list, const std::string& origin) {
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    std::string folder = list.substr(at, end - at);
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
      for (std::size_t found; (found = folder.find(name)) != folder.npos;) folder.replace(found, name.size(), origin);
    }
    if (!folder.empty()) folders.push_back(folder);
    at = end + 1;
  }
}

}  // namespace

std::optional<ElfFile> ElfFile::read(const std::filesystem::path& file) {
  ElfFile made;
  constexpr std::uint64_t most = std::uint64_t{16} << 30;
  if (base::read_beginning(file, SELFMAG) != std::string_view(ELFMAG, SELFMAG)) return {};
  made.bytes_ = base::read_file(file, most);
  if (!made.parse(file)) return {};
  return made;
}

bool ElfFile::parse(const std::filesystem::path& file) {
  const auto head = load<Elf64_Ehdr>(bytes_, 0);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != ELFDATA2LSB || (head.e_type != ET_EXEC && head.e_type != ET_DYN))
    return false;
  const auto header = [&](std::size_t i) { return load<Elf64_Shdr>(bytes_, head.e_shoff + i * sizeof(Elf64_Shdr)); };
  const Elf64_Shdr names = header(head.e_shstrndx);
  std::error_code error;
  const std::string origin = std::filesystem::absolute(file, error).parent_path().string();
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const Elf64_Shdr section = header(i);
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) continue;
    sections_.push_back(
        {text_at(bytes_, names.sh_offset, names.sh_size, section.sh_name), section.sh_offset, section.sh_size});
    if (section.sh_type == SHT_DYNAMIC) {
      const Elf64_Shdr strings = header(section.sh_link);
      parse_dynamic(section.sh_offset, section.sh_size, strings.sh_offset, strings.sh_size, origin);
    }
  }
  return true;
}

void ElfFile::parse_dynamic(std::size_t offset, std::size_t size, std::size_t strings, std::size_t strings_size,
                            const std::string& origin) {
  for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= size; at += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(bytes_, offset + at);
    if (entry.d_tag == DT_NULL) return;
    const auto text = [&] { return text_at(bytes_, strings, strings_size, entry.d_un.d_val); };
    if (entry.d_tag == DT_NEEDED) needed_.push_back(text());
    if (entry.d_tag == DT_RPATH) add_folders(rpath_, text(), origin);
    if (entry.d_tag == DT_RUNPATH) add_folders(runpath_, text(), origin);
  }
}

std::span<const std::byte> ElfFile::section(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name != name || section.offset > bytes_.size() || section.size > bytes_.size() - section.offset)
      continue;
    return std::as_bytes(std::span(bytes_.data() + section.offset, section.size));
  }
  return {};
}

bool ElfFile::has_section(std::string_view name) const {
  for (const Section& section : sections_)
    if (section.name == name) return true;
  return false;
}

}  // namespace heddle::programs
