// The pipeline primitives alone: the class nvcuda::experimental::pipeline is not there.
#pragma once
#pragma clang system_header
#include "cuda_pipeline_primitives.h"
