// The tables and charts of docs/reproduce/lithos.md.
#pragma once

#include <string>

#include "page.hpp"

namespace heddle::bench::lithos {

std::string tables(const grcuda::Figures& figures);
std::string chart(const grcuda::Figures& figures);

}  // namespace heddle::bench::lithos
