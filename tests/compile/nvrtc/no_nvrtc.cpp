// A library that is not NVRTC.
extern "C" int nothing_of_nvrtc() { return 0; }
