// Package hook answers the hooks of coding agents: it reads what a client says on standard input when a conversation begins or the user has said something, and prints
// what the model is to be told. It knows the clients' events and the shape of their answers; what to tell is [mem.Store.Inject]'s to choose.
//
// # What goes in
//
// One JSON object. Of it session_id, cwd, hook_event_name, prompt, source and agent_id are read, if they are strings; what else stands there is
// left alone, for clients add members with every release.
//
//	SessionStart                      what a read brings, without what the conversation still has: nothing after source compact or clear, and
//	                                  after source resume what its client brings back of it
//	UserPromptSubmit, BeforeAgent     what is relevant to the prompt and was not told before
//	SubagentStart                     a shorter read
//	anything else                     nothing; nor for a sub-agent (agent_id) in any other event
//
// # What comes out
//
//	{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"[Agent Memory]\n..."}}
//
// This one shape is taken by every client: one drops the whole answer for a member it does not know, another for one that is missing, a third ignores plain text. Or
// nothing at all, where there is nothing to say. Past 10,000 UTF-16 units a client shows the model a file name in place of the text, another one past
// about 9,900 bytes: so a block has at most 9,000 of what its client counts.
//
// # What goes wrong
//
// A hook stands between a person and an agent. An exit code of 2 would erase what the user wrote, anything on standard output would go to the model. So
// [Hook.Run] returns nothing, prints one answer or none, takes 300 ms at the very most, and survives its own panics, those of a memory map whose
// file was cut short included. It takes no lock and, on a read-only store, writes nothing. A record of what was injected is kept after it was printed: killed in
// between, a memory is told twice rather than never.
//
// # Who calls
//
// A write from within a client says so by itself ([Caller]): clients leave their name and the conversation's id in the environment of the commands they run. Nothing else
// of the environment is ever looked at, for it holds tokens.
package hook
