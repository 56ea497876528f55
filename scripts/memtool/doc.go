// Command memtool holds the memory tool against the implementation that Anthropic's TypeScript SDK
// brings: it draws commands, gives each to both, and compares the answers and, at the end of each
// round, the files. From the root of the repository, as part of "make mcp":
//
//	sh scripts/memtool/install.sh
//	go run ./scripts/memtool -cache "${XDG_CACHE_HOME:-$HOME/.cache}/mem-memtool"
//
// Where the two differ on purpose the table differences says why, and each row must match at least
// once: one that has become idle fails the run too. -seed draws the same commands again.
package main
