// Device code of several files (-rdc=true): the piece of a program that hands it over as one.
#pragma once

#include <span>
#include <string>

namespace heddle::programs {

// A C source for what the object files and archives of relocatable device code ask for; empty where none does. Clang
// has each such file call a function of its own before main(), with its PTX and what it registers. They all lead to
// Heddle's runtime, which joins the PTX of one program or library. As with nvcc, the source refers to all of these
// files, so that the linker takes all such members of archives. Throws io_error for a file that cannot be read.
std::string device_link_source(std::span<const std::string> objects);

}  // namespace heddle::programs
