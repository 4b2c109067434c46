# Shared by the scripts of this folder: sourced, never run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '%s\n' "$*"; }
headline() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Parallel compile jobs: a file that includes LLVM takes about 1 GiB, so memory counts as much as cores.
jobs() {
  local cores memory_kib
  cores=$(nproc)
  memory_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  local by_memory=$((memory_kib / 1024 / 1024))
  [ "$by_memory" -ge 1 ] || by_memory=1
  [ "$by_memory" -lt "$cores" ] && say "$by_memory" || say "$cores"
}

# Objects compiled in one clone serve another.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
