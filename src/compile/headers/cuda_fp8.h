// Refused where it is included, with the reason.
#pragma once
#error "Heddle has no <cuda_fp8.h>: formats below 16 bits are not supported in CUDA C++"
