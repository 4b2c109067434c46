#include "compile/precompiled.hpp"

#include <exception>
#include <system_error>

#include "base/cache_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/temporary_folder.hpp"
#include "compile/includes.hpp"
#include "compile/observer.hpp"
#include "compile/trace.hpp"

namespace heddle::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "heddle prelude 1\n";

// Beside each precompiled header lies a record of what it was made from, whose hash is in its name: the two cannot be
// mixed up, whoever replaces them when.
struct Place {
  fs::path folder;
  std::string name;
  fs::path record() const { return folder / (name + ".record"); }
  fs::path header(std::string_view record_text) const {
    return folder / (name + '-' + base::sha256_hex(record_text).substr(0, 16) + ".pch");
  }
};

Place place_for(const Clang& clang, const fs::path& folder, const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment) {
  base::Sha256 hash;
  hash.add_field(clang.identity);
  for (const auto* list : {&arguments, &environment}) {
    hash.add_field(std::to_string(list->size()));
    for (const std::string& text : *list) hash.add_field(text);
  }
  return {folder, "prelude-" + hash.hex().substr(0, 16)};
}

std::optional<Precompiled> load(const Place& place) {
  const auto text = base::read_cache_file(place.record());
  if (!text || !text->starts_with(magic)) return {};
  const fs::path header = place.header(*text);
  std::error_code ignored;
  if (!fs::exists(header, ignored) || !base::distrust_file(header).empty()) return {};
  std::string_view rest = std::string_view(*text).substr(magic.size());
  auto lookups = take_lookups(rest);
  if (!lookups || !still_true(*lookups)) return {};
  return Precompiled{header, std::move(*lookups)};
}

std::optional<Lookups> lookups_of(const TracedRun& run, timespec start, const fs::path& folder) {
  Observer observer(run.path, start, {folder.string()});
  observer.list_compilers();
  for (const std::string& path : run.read) observer.read(path);
  std::vector<std::string> sources = run.entered;
  sources.push_back((folder / "heddle/prelude.h").string());
  for (const std::string& path : sources) {
    observer.look_up(find_mentions(base::read_file(path)), folder_of(path));
  }
  std::string doubt;
  auto lookups = observer.finish(doubt);
  if (!lookups) base::log_info("the device headers are not precompiled: {}", doubt);
  return lookups;
}

std::optional<Precompiled> make(const Place& place, std::vector<std::string> command,
                                const std::vector<std::string>& environment) {
  base::TemporaryFolder scratch;  // beside its place, so that it can be renamed
  scratch.create(place.folder, "making");
  const timespec start = start_of_observation();
  const fs::path part = scratch.path() / "prelude.pch";
  command.insert(command.end(), {"-Wno-pragma-system-header-outside-header", "-Xclang", "-emit-pch", "-o", part});
  const TracedRun run = run_traced(command, {"--", place.folder / "heddle/prelude.h"}, {}, environment, scratch.path());
  if (run.process.exit_status != 0 || !run.known) return {};
  auto lookups = lookups_of(run, start, place.folder);
  if (!lookups) return {};
  std::string text(magic);
  append(text, *lookups);
  const auto before = base::read_file_if_there(place.record());
  const fs::path header = place.header(text);
  // Whatever the umask is: see base/cache_folder.hpp.
  fs::permissions(part,
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read);
  fs::rename(part, header);
  base::write_file_atomic(place.record(), text);
  std::error_code ignored;
  if (before && *before != text) fs::remove(place.header(*before), ignored);
  return Precompiled{header, std::move(*lookups)};
}

}  // namespace

std::optional<Precompiled> precompiled_prelude(const Clang& clang, const fs::path& folder,
                                               const std::vector<std::string>& arguments,
                                               const std::vector<std::string>& environment) {
  try {
    const Place place = place_for(clang, folder, arguments, environment);
    if (auto present = load(place)) return present;
    return make(place, arguments, environment);
  } catch (const std::exception& error) {
    base::log_info("the device headers are not precompiled: {}", error.what());
  }
  return {};
}

bool refused_precompiled(const std::string& diagnostics) {
  return diagnostics.find("PCH") != std::string::npos || diagnostics.find(".pch'") != std::string::npos ||
         diagnostics.find("precompiled") != std::string::npos;
}

}  // namespace heddle::compile
