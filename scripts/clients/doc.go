// Command clients runs the real coding agents, Claude Code, Codex, Gemini CLI and others, offline,
// and looks at what mem puts before their models and what they store with mem. From the root of the
// repository:
//
//	make clients
//	make clients ONLY=qwen,copilot
//
// It stands in for the models itself, on loopback: it answers the APIs of their vendors, saves
// every request, and makes the client call its own shell tool when a check wants one. No key is
// needed, and nothing beyond loopback is called. The clients are installed by install.sh, at pinned
// versions and outside the repository.
//
// Each check of each client has a home, a project and a store of its own, with memories of which
// the session start brings some. They are in the directory for temporary files and not in a home
// directory, whose instructions and stores the clients would read too. Where a check failed they
// stay: home is what the client left behind, requests/*.json what it sent, screen-*.txt what it
// showed.
//
// A client can do what no test of ours can know: leave text out, cut it, escape it, tell it twice,
// or show a person what was meant for the model. That is what is looked for.
package main
