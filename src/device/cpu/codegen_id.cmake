# Writes a source file with a hash of the libraries FILES (separated by commas) to OUTPUT.
string(REPLACE "," ";" files "${FILES}")
set(all "")
foreach(file IN LISTS files)
  file(SHA256 "${file}" hash)
  string(APPEND all "${hash}")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING "${hash}" 0 16 hash)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[
#include "device/cpu/codegen_id.hpp"

namespace heddle::device::cpu {
const char* const codegen_id = "@hash@";
}
]] @ONLY)
