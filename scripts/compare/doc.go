// Command compare holds mem against other memories of agents that npm and the Go module proxy have:
// ten tasks, each through the real command line or MCP server of the tool, as a Markdown table.
//
//	make compare
//	go run ./scripts/compare -mem bin/mem [-records 10000] [-only a,b]
//
// The tools go into $XDG_CACHE_HOME/mem-compare once, about 0.4 GB. Each runs with an own HOME in a
// temporary directory. Nothing keeps them off the network. What was not installed or cannot run is
// listed with the reason. The tasks, and what is unfair about them, are in docs/compare.md.
// Needs Linux, for /proc and the killing of process groups.
package main
