#include "programs/cc/registration.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"

namespace heddle::programs {
namespace {

constexpr std::string_view constructor_name = "__cuda_module_ctor";

// Reads and writes records of a file that may have been cut or be none at all.
class Object {
 public:
  explicit Object(std::string& bytes) : bytes_(bytes) {}

  template <class Record>
  std::optional<Record> read(std::uint64_t offset) const {
    Record record;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof record) return std::nullopt;
    std::memcpy(&record, bytes_.data() + offset, sizeof record);
    return record;
  }
  template <class Record>
  void write(std::uint64_t offset, const Record& record) {
    std::memcpy(bytes_.data() + offset, &record, sizeof record);
  }
  // The text that begins there; empty beyond the end of the file.
  std::string_view text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::size_t end = bytes_.find('\0', offset);
    return end == std::string::npos ? std::string_view() : std::string_view(bytes_).substr(offset, end - offset);
  }
  template <class Record>
  std::vector<Record> records(const Elf64_Shdr& section) const {
    std::vector<Record> all;
    for (std::uint64_t at = 0; at + sizeof(Record) <= section.sh_size; at += sizeof(Record)) {
      const auto record = read<Record>(section.sh_offset + at);
      if (!record) break;
      all.push_back(*record);
    }
    return all;
  }
  // Empty for what is no object file of this machine.
  std::vector<Elf64_Shdr> sections() const {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL || header->e_machine != EM_X86_64)
      return {};
    Elf64_Shdr all{};
    all.sh_offset = header->e_shoff;
    all.sh_size = std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
    return records<Elf64_Shdr>(all);
  }
  std::string_view name(const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& section) const {
    const auto header = read<Elf64_Ehdr>(0);
    return header->e_shstrndx < sections.size() ? text(sections[header->e_shstrndx].sh_offset + section.sh_name)
                                                : std::string_view();
  }

 private:
  std::string& bytes_;
};

// The symbols of the file: where the constructor is, and what a relocation means.
class Symbols {
 public:
  Symbols(const Object& object, const std::vector<Elf64_Shdr>& sections) {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
      all_ = object.records<Elf64_Sym>(section);
      for (const Elf64_Sym& symbol : all_)
        if (object.text(sections[section.sh_link].sh_offset + symbol.st_name) == constructor_name)
          constructor_ = symbol;
    }
  }
  // By its own symbol, or by that of its section.
  bool is_constructor(const Elf64_Rela& place) const {
    const std::uint64_t index = ELF64_R_SYM(place.r_info);
    if (!constructor_ || index >= all_.size()) return false;
    const Elf64_Sym& symbol = all_[index];
    return symbol.st_shndx == constructor_->st_shndx &&
           symbol.st_value + static_cast<std::uint64_t>(place.r_addend) == constructor_->st_value;
  }

 private:
  std::vector<Elf64_Sym> all_;
  std::optional<Elf64_Sym> constructor_;
};

}  // namespace

bool register_first(std::string& bytes) {
  Object object(bytes);
  const std::vector<Elf64_Shdr> sections = object.sections();
  const Symbols symbols(object, sections);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_RELA || object.name(sections, section) != ".rela.init_array") continue;
    std::vector<Elf64_Rela> places = object.records<Elf64_Rela>(section);
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (!symbols.is_constructor(places[i])) continue;
      // Places stay; what they mean moves on by one.
      for (std::size_t j = i; j > 0; --j) {
        std::swap(places[j].r_info, places[j - 1].r_info);
        std::swap(places[j].r_addend, places[j - 1].r_addend);
      }
      for (std::size_t j = 0; j <= i; ++j) object.write(section.sh_offset + j * sizeof(Elf64_Rela), places[j]);
      return true;
    }
  }
  return false;
}

void register_first(const std::filesystem::path& object) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(object, error)) return;
  std::string bytes = base::read_file(object, base::most_file_bytes);
  if (register_first(bytes)) base::write_users_file(object, std::string_view(bytes));
}

}  // namespace heddle::programs
