# cmake -DPROGRAM=... -DOUTPUT=... -P embed_child.cmake: writes a C++ source with the bytes of the program that NVRTC runs in.
file(READ "${PROGRAM}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"compile/nvrtc/run.hpp\"\n\nnamespace heddle::compile::nvrtc {\nnamespace {\n
constexpr unsigned char bytes[] = {\n${bytes}};\n\n}  // namespace\n
std::string_view child_program() { return {reinterpret_cast<const char*>(bytes), sizeof bytes}; }
\n}  // namespace heddle::compile::nvrtc\n")
