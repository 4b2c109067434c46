// Mistakes that `heddle run --check` reports.
#pragma once

namespace heddle::cuda_api {

// Prints a mistake after which the program goes on as if there were none (core/check_report.cpp). Any thread.
void report_mistake(const char* message) noexcept;

}  // namespace heddle::cuda_api
