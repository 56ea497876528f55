// Command compare holds mem against other memories of agents that npm and Go modules have: ten
// tasks, each through the real command line or MCP server of the tool, as a Markdown table.
//
//	go run ./scripts/compare -mem bin/mem [-records 10000] [-only mem,memorix]
//
// The tools go into $XDG_CACHE_HOME/mem-compare, once. Each runs with an own HOME in a temporary
// directory; nothing keeps them off the network. It needs Linux. See docs/compare.md.
package main
