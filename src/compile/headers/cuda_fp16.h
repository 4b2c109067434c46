// half: __half and __half2 under their short names.
#pragma once
#pragma clang system_header
#include "heddle/half_functions.h"
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
