// Folders of this machine in which people have NVIDIA's SDK. Those that do not exist may be among them, except where a
// folder's name had to be looked up.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::compile::nvrtc {

using Folders = std::vector<std::filesystem::path>;

// The absolute folders in a variable such as PATH.
Folders folders_in_variable(const char* name);
// The folders that the dynamic loader knows by itself: those of /etc/ld.so.conf, and the usual ones.
Folders loader_folders();
// $CUDA_HOME, $CUDA_PATH, $CONDA_PREFIX: itself, where it is set to an absolute path.
Folders root_in_variable(const char* name);
// /usr/local/cuda, then /usr/local/cuda-*, newest first.
Folders toolkit_roots();
// The folders nvidia/ of Python packages: of the active environment, PYTHONPATH, the python3 of PATH, the user, the
// system.
Folders python_packages();

// Below the root of a toolkit, most usual first.
Folders library_folders(const std::filesystem::path& root);
Folders header_folders(const std::filesystem::path& root);

// The folders in `parent` whose names begin so, newest version first (cuda-13.0 before cuda-12.9 and cuda-9.0).
Folders children(const std::filesystem::path& parent, const std::string& start);

}  // namespace heddle::compile::nvrtc
