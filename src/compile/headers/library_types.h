// Everything CUDA programs look for here is part of the prelude.
#pragma once
#pragma GCC system_header
#include "heddle/prelude.h"
