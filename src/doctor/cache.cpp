// The folder for compiled kernels.
#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <system_error>

#include "base/cache_folder.hpp"
#include "base/file.hpp"
#include "base/format.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t little_space = std::uint64_t{256} << 20;

// The folder or, before there is one, the one that it will be made in.
fs::path existing(const fs::path& folder) {
  std::error_code error;
  fs::path place = fs::absolute(folder, error);
  while (!place.empty() && place != place.parent_path() && !fs::exists(place, error)) place = place.parent_path();
  return place;
}

Finding wrong(std::string text, std::string mend) {
  return {"cache", Mark::wrong, std::move(text), std::move(mend), false};
}

// The first file or folder in the cache that is not used, and how many there are.
struct Distrusted {
  std::string first;
  std::uint64_t count = 0;
};

Distrusted distrusted_in(const fs::path& folder) {
  constexpr std::uint64_t most = 200'000;  // a whole cache, and no end to a wrong folder
  Distrusted found;
  std::error_code error;
  std::uint64_t seen = 0;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end && ++seen < most;
       it.increment(error)) {
    std::error_code gone;
    const std::string why = it->is_directory(gone) ? base::distrust(it->path()) : base::distrust_file(it->path());
    if (!why.empty() && found.count++ == 0) found.first = why;
  }
  return found;
}

}  // namespace

Finding check_cache(const fs::path& folder) {
  const std::string shown = folder.string();
  constexpr const char* elsewhere =
      "Set HEDDLE_CACHE_DIR to a folder of yours; until then kernels are compiled anew each time.";
  const fs::path probe = folder / fmt::format("doctor.{}", ::getpid());
  const bool was_there = fs::exists(folder);
  try {
    base::write_file_atomic(probe, std::string_view("heddle doctor\n"));
    std::error_code ignored;
    fs::remove(probe, ignored);
  } catch (const std::exception& error) {
    return wrong(fmt::format("nothing can be written to {}: {}.", shown, error.what()), elsewhere);
  }
  if (const std::string why = base::distrust(folder); !why.empty())
    return wrong(why, "Until then kernels are compiled anew each time.");  // it says where a folder may be
  if (const Distrusted found = distrusted_in(folder); found.count > 0)
    return wrong(found.first + (found.count > 1 ? fmt::format(" There are {} more.", found.count - 1) : ""),
                 "What is not used is made anew.");
  std::error_code error;
  const fs::space_info space = fs::space(existing(folder), error);
  if (!error && space.available < little_space)
    return wrong(fmt::format("{} has only {} of free space.", shown, base::format_bytes(space.available)),
                 "Free some, or set HEDDLE_CACHE_DIR to a folder on another disk.");
  return good("cache", fmt::format("{}{}, {} of free space", shown, was_there ? "" : " (made just now)",
                                   error ? "unknown amount" : base::format_bytes(space.available)));
}

}  // namespace heddle::doctor
