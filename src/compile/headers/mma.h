// Refused where it is included, with the reason.
#pragma once
#error "Heddle has no <mma.h>: tensor cores and formats below 16 bits are not supported in CUDA C++"
