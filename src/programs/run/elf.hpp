// What a program's file says of itself, as far as `heddle run` has to know (ELF, 64 bits, little endian).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::programs {

class ElfFile {
 public:
  // Nothing for what is no program or library of this machine. Throws not_found, io_error.
  static std::optional<ElfFile> read(const std::filesystem::path& file);

  const std::vector<std::string>& needed() const { return needed_; }  // DT_NEEDED
  // Folders of DT_RPATH and DT_RUNPATH, $ORIGIN replaced. The first come before LD_LIBRARY_PATH, unless the second are
  // there too.
  const std::vector<std::string>& rpath() const { return rpath_; }
  const std::vector<std::string>& runpath() const { return runpath_; }
  // The bytes of a section; empty when there is none of the name.
  std::span<const std::byte> section(std::string_view name) const;
  bool has_section(std::string_view name) const;

 private:
  struct Section {
    std::string name;
    std::size_t offset = 0, size = 0;
  };
  bool parse(const std::filesystem::path& file);
  void parse_dynamic(std::size_t offset, std::size_t size, std::size_t strings, std::size_t strings_size,
                     const std::string& origin);

  std::string bytes_;
  std::vector<Section> sections_;
  std::vector<std::string> needed_, rpath_, runpath_;
};

}  // namespace heddle::programs
