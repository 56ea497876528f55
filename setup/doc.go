// Package setup owns what mem writes into the files of coding agents: the hooks that hand memories to them, and the words that tell them
// to keep some. It knows which files each client reads ([Clients]) and how to change them without harm. It opens no store; what is to be
// run and said is given to it.
//
// # What is written
//
//	claude-code  settings.json: SessionStart, UserPromptSubmit, SubagentStart, program and arguments apart; CLAUDE.md
//	codex        hooks.json: the same events, one line for a shell; AGENTS.md
//	gemini       settings.json: SessionStart, BeforeAgent, timeouts in milliseconds; GEMINI.md
//	opencode     plugin/mem.ts, which runs the hook; AGENTS.md
//	cursor       .cursor/rules/mem.mdc
//	vscode       .github/hooks/mem.json: SessionStart; .github/copilot-instructions.md
//	agents-md    AGENTS.md
//
// # Settings
//
// JSON, with comments and trailing commas as some clients allow them. The text is parsed only to find places in it; it is changed by
// putting bytes in and taking bytes out there, never written anew from what was parsed. So order, comments, spelling and white space of everything
// else survive. A handler is ours if it starts a program called mem with the word hook; so one that names a mem that has moved is corrected, not
// doubled, and no other handler is ever touched, not even one in the same group. A file that cannot be parsed, or in which hooks is no object, is refused with
// line and column.
//
//	add    a new member or element goes behind the last one and its comment, in the style of the container: one line or many, its
//	       indentation, its line ends, its trailing comma or none
//	strip  the handler goes, with one comma and the white space before it; then the group, the list and the object around it,
//	       each only if nothing is left in it, not even a comment, and it was not there before
//
// strip(add(x)) is x to the byte, for every x that add takes. What was there before is known from the copy that the first change put aside
// (name.mem-backup), which goes when strip has led back to it.
//
// # Text
//
// What is ours stands between two marked lines, and everything outside of them is left alone. A file that holds nothing else was made here, and goes
// with the block.
//
// # After a crash
//
// Each file is replaced by one rename of a synced file beside it, whose name begins with a dot; a crash leaves the old file or the new one, and
// perhaps that draft or the copy. All files are read and all changes worked out before the first is written, so a fault in one of them changes none. Links
// are followed to the file and stay. Mode and owner stay; a file without write permission is left alone.
package setup
