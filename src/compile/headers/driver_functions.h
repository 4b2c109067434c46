// Everything CUDA programs look for here is part of the prelude.
#pragma once
#pragma clang system_header
#include "heddle/prelude.h"
