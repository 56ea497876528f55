// Package mcp gives an agent without a shell its memory, over the Model Context Protocol: a front,
// as the command line is one, with no rules of its own. Its tools, resources and prompts call the
// Store and the views, and the official SDK speaks the protocol, in its revisions with a handshake
// and without.
//
// # Ways in
//
// [Run] serves one client, which has started the process, by lines on standard input and output. A
// line that is no JSON, no message, or longer than 4 MiB is answered with an error that has the id
// null, and passed over: a client that writes something else into the pipe, as its libraries do,
// keeps its session. Blank lines are nothing. At the end of the input all calls are answered first;
// the last line may be without its end.
//
// What the client works on are the layers of its folder ([Folders]): where the client can tell its
// roots it is asked for them once after the handshake, and when it says that they have changed;
// else, as in the revision without a handshake, it is the working directory. What [newHandler]
// returns answers over HTTP, each request for itself, with the memory of a tenant that a server has
// opened; nobody is asked for roots, and there are no layers.
//
// [Relay] serves one client with the memory behind such a server: each message is a request.
//
// # Tools
//
// tools.json has them by sets, as a client lists them: what they are for, what they take and
// return, and what they change. What they take is written from the requests of the views: go test
// ./internal/front/mcp -run Requests -update; the texts and the bounds of this front stay. A
// description is paid for with each conversation, so a set has less than 1,500 tokens. Names have
// an underscore; those of the context bundle are found with a dot, too, as their specification
// spells them. What a tool returns is JSON, as text and as structured content.
//
// An error is an answer of the tool, too: a model reads the subject, the reason and the advice,
// with the names of these tools for verbs. Where a specification says in which words a tool fails,
// it does. Only what concerns the protocol, as a tool that is not there, is an error of it.
//
// # What a caller sees
//
// The caller is the agent that the environment, a flag or the token names. It is shown what the
// command line would show it. Without an agent it is still a model and no person: it cannot delete
// what agents keep for themselves, and the tools with which they do are not listed. A bundle goes
// by the name of the client then. What it writes names the client, the agent and mcp as its
// source, unless it names another. All answers say that nobody but the client may keep them, and
// not for later.
//
// Nothing is kept here: a crash leaves what the stores promise, each write whole or not there, and
// of the lines that were written the last one maybe not whole.
package mcp
