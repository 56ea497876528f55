// Package hook answers the hooks of coding agents: it reads the event that a client writes to
// standard input, and prints the text to add to the conversation. It knows the events and the shape
// of the answers; the clients are in the table of package setup, and inject.Choose chooses the
// memories. docs/clients.md says what each client gets, and when.
//
// # What goes in
//
// One JSON object, after a byte order mark where a program on Windows writes one. Of its members
// those of the type event (event.go) are read, if they have the form that it wants; the others are
// ignored, for clients add members with every release.
//
//	SessionStart                   what a read returns, without what the conversation still has:
//	                               nothing after source compact or clear, and after source resume
//	                               what its client brings back of it
//	UserPromptSubmit, BeforeAgent  records relevant to the prompt that were not injected before
//	SubagentStart                  a shorter read
//	PreToolUse, AfterTool, or PostToolUse, as the client's row has it: of a tool that edits files,
//	                               records that name one of these
//	anything else                  nothing; nor for a prompt with the agent_id of a sub-agent
//
// A hook that was wired for an agent ([Hook.Keeps]) also injects, at the start of a conversation,
// that agent's private memories, in a part of its own (package journal). No other part and no other
// hook injects those, and none ever injects memories of sessions. One that was wired with the
// bridge ([View.Native]) also injects, at a start and at no other event, facts of the memories that
// other clients keep themselves.
//
// # What comes out
//
//	{"systemMessage":"mem: ...","hookSpecificOutput":{"hookEventName":"SessionStart",
//	"additionalContext":"[Agent Memory]\n..."}}
//
// All of it in one line, in exactly this shape: one client drops the whole answer for a member that
// it does not know, another for one that is missing, a third ignores plain text. A client with
// setup.Client.BareContext reads a member additionalContext alone. Nothing is printed if there is
// nothing to say. An answer at an edit decides no permission.
//
// systemMessage has what the person should know of the stores ([View.Notice]), at the start of a
// conversation: one line of at most [MaxNotice] characters, and only to clients that are known to
// keep it from the model (package setup).
//
// Past 10,000 UTF-16 units a client shows the model a file name in place of the text, another one
// past about 9,900 bytes: so a block has at most 9,000 of what its client counts.
//
// # A memory behind a server
//
// Where the project's memory is behind a server ([View.Server]), the hook of the client's machine
// takes two thirds of the room at most for the memories of the user's store, and asks the server
// for the rest: with the event, the text that is searched for, and the names of files in the
// project, or without one in the working directory. An edit of no such file asks no server. The
// server runs the same hook ([Hook.Away]) over its own store and record, and answers with lines:
//
//	{"mem":{"v":1,"lines":[{"key":"/project/db","text":"The port is 3307","kind":"decision",
//	"origin":"web","ts":"2026-02-22T10:00:00.000000Z","by_id":true,...}],"own":[...],
//	"start":{"lines":[...]}}}
//
// No text of a server reaches a model as it is: the client makes the block of the lines as one of
// its own memories (inject.Frame), with its own fences, within its own settings, and records what
// the block holds. Each line is data, and no rule but where a person has let in the rules of that
// server's team ([Part].Rules); in a project a line with a key of a person's own is dropped. own
// are entries of the journal and core, for --agent where the server's memory is the only one; start
// is that of a missed start, with the answer to a prompt. An answer without lines, of another form,
// is recorded as missed, and a start says so. The server's record of a conversation is that of the
// caller's agent, so that no other one can take memories from it.
//
// [Starts] keeps the last answer to a start, in STATE/mem/starts/ID.json (0600), for the time while
// the server is out of reach:
//
//	{"v":2,"url":...,"root":...,"at":...,"sent":{"lines":[...]},"out":...}
//
// A file of v 1 has text, which is left out, and the person hears of it. ID is the first 32 hex
// digits of the SHA-256 of URL, token, root of the project, agent and client, with zero bytes
// between. A file is replaced by rename: a crash leaves the old one or the new one. It counts for
// seven days; deletions from this machine and the end of a login or of trust remove it.
//
// # What goes wrong
//
// An exit code of 2 would erase what the user wrote or block the edit, and anything on standard
// output would go to the model. So [Hook.Run] returns no error, prints one answer or none, and
// survives its own panics, also those of a memory map whose file was truncated; an input that is no
// event is named in one line on standard error ([Hook.Complain]). To inject it takes no lock; a
// request to remember something (capture.go) waits for that of the store beside the answer, for a
// quarter of a second at most. An injection is recorded before it is printed (inject.Claim): a
// process that is killed in between loses its own injection.
//
// The time of an event (inject.start_ms, inject.prompt_ms) counts by the real clock from the start
// of the program, whatever MEM_NOW says; tests set another limit with MEM_HOOK_DEADLINE. An event
// that fails or takes longer is recorded with the reason (inject.Injection.Missed) in at most 0.4 s
// more, and a missed start is delivered with the next prompt. Where the stores are not open after a
// quarter of the time, as on a slow disk, the user's alone is opened for that record meanwhile.
// Nothing records a hook that the client ends, or one whose stores cannot even be opened.
//
// A write from within a client names the client as its source by itself ([Source]): clients leave
// their name and the conversation's id in the environment of the commands they run. By that a hook
// knows a conversation's own notes again. Besides these it reads variables that say whether a
// person types (isTyped, docs/capture.md), and on Linux it looks for the signs of clients in the
// environment of its parent, which it reads as a whole. It keeps and passes on neither, for an
// environment holds tokens.
package hook
