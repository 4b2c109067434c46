// Functions that Heddle does not do: each is there, so that a program that does not come to call it runs, and says by
// name what it was called for. Parameters are not looked at. No header of ours is included: some names are macros
// there.
#include "cuda_api/driver/refused.hpp"

#define HEDDLE_DRIVER_REFUSED(name, what) \
  extern "C" __attribute__((visibility("default"))) int name() { return heddle::cuda_api::refuse(#name, what); }
#include "cuda_api/driver/refused.def"
#undef HEDDLE_DRIVER_REFUSED
