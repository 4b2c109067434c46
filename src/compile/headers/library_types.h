#pragma once
#pragma GCC system_header
#include "heddle/prelude.h"
