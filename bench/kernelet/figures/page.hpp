// The tables and the chart of docs/reproduce/kernelet.md.
#pragma once

#include <map>
#include <string>

namespace heddle::bench::kernelet {

using Figures = std::map<std::string, double>;  // by name, "fermi-c2050/mix/MIX/base"

// The figures of build/results/kernelet.json. Throws not_found, parse_error.
Figures read_figures(const std::string& file);
// Tables, as Markdown. What was not measured is "-".
std::string tables(const Figures& figures);
// The page with these tables between its two marks. Throws invalid_argument where it has none.
std::string with_tables(const std::string& page, const std::string& tables);
// Total times of all policies over that of BASE, as bars: SVG.
std::string chart(const Figures& figures);

}  // namespace heddle::bench::kernelet
