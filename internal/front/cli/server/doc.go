// Package server has the verbs of memd that serve memories, to agents over HTTP and MCP and as a
// page, and those that a server needs: spaces, tokens and keys. It also has the other side: verbs
// that run on a memory behind a server, and a store on PostgreSQL.
package server
