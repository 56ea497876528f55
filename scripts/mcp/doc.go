// Command mcp holds the MCP server against what others have written to test one: the conformance
// suite, scenario by scenario over HTTP, and the inspector in its strict mode over standard input
// and output. From the root of the repository:
//
//	make mcp
//
// Most scenarios of the suite need a server with tools that the suite itself describes; those that
// any server must pass are named here. The suite sends no token, so a proxy on loopback puts one
// into each request and leaves all else as it is. What is needed is installed by install.sh, at
// pinned versions and outside the repository; nothing beyond loopback is called.
package main
