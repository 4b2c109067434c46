#pragma once
#pragma clang system_header
#include "../heddle/cooperative_groups.h"
