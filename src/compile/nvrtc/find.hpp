// Where NVRTC and the headers of NVIDIA's SDK are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::compile::nvrtc {

struct Library {
  std::filesystem::path path;  // absolute, as it was found
  std::filesystem::path real;  // the same without links
  std::string identity;        // real path, size and time: changes when another NVRTC is installed there
};

// A kind of place, and the folders that it stands for on this machine; none where its variable is not set.
struct Place {
  std::string what;  // "LD_LIBRARY_PATH"
  std::vector<std::filesystem::path> folders;
};

// The newest libnvrtc.so of the first folder that has one: $HEDDLE_NVRTC (the library or its folder; nothing else
// counts where it is set), LD_LIBRARY_PATH and the loader's folders, CUDA_HOME, CUDA_PATH, /usr/local/cuda*,
// CONDA_PREFIX, Python packages. `looked_at` receives the places searched, in order. Throws invalid_argument when
// $HEDDLE_NVRTC names neither a library nor a folder with one. Looks at files only and opens no library, so that it
// takes microseconds.
std::optional<Library> look_for_library(std::vector<Place>& looked_at);

// The same. Throws not_found with all places searched.
Library find_library();

// The places after $HEDDLE_NVRTC, in order, with all their folders.
std::vector<Place> library_places();
// The newest libnvrtc.so in a folder: of this machine's kind, by the version in its name.
std::optional<Library> newest_library_in(const std::filesystem::path& folder);

// The SDK's folders for #include, in the order in which they are searched: the first folder with the headers among
// those beside the library (in its toolkit, or in Python packages), CUDA_HOME, CUDA_PATH, /usr/local/cuda*,
// CONDA_PREFIX, Python packages and /usr/include; then its folder cccl/ (CUB, Thrust, libcu++) or, in Python packages,
// the folders include/ of the other packages of NVIDIA beside it. Empty where no SDK is found.
std::vector<std::string> find_headers(const Library& library);

// The same for the first SDK that is found, without its library.
std::vector<std::string> find_headers();

// One line for each place: "  LD_LIBRARY_PATH: /a, /b".
std::string describe(const std::vector<Place>& places);
// Why there is no NVRTC, and what to do.
std::string not_found_text(const std::vector<Place>& looked_at);

// How to get what is missing: a sentence.
extern const char* const install_hint;

}  // namespace heddle::compile::nvrtc
