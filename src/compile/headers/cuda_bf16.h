// bfloat16 under its short names.
#pragma once
#pragma clang system_header
#include "heddle/half_functions.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
