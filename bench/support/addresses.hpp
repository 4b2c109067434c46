// The same addresses in every run: the simulator's memory is the host's, and its addresses count for caches and banks.
#pragma once

namespace heddle::bench {

// Starts the program again, with the same arguments, where the system makes addresses random. Call it first in main().
void fix_addresses(char** arguments);

}  // namespace heddle::bench
