# cmake -DFOLDER=... -DOUTPUT=... -DPRESETS=a,b -P embed_presets.cmake: writes a C++ source with the files' text.
string(REPLACE "," ";" names "${PRESETS}")
list(LENGTH names count)
set(table "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.toml" text)
  # A literal may have 16 KiB in some compilers; the machine files are smaller.
  string(APPEND table "    {\"${name}\", R\"heddle_text(${text})heddle_text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"device/sim/machine_file/presets.hpp\"

#include <array>

namespace heddle::device::sim {
namespace {

constexpr std::array<EmbeddedPreset, ${count}> presets{{
${table}}};

}  // namespace

std::span<const EmbeddedPreset> embedded_presets() { return presets; }

}  // namespace heddle::device::sim
")
