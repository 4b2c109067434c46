namespace heddle::device::sim {

extern const char* const left_out;
const char* const left_out = nullptr;

}  // namespace heddle::device::sim
