// Package setup edits the files of coding agents: it installs the hooks that hand memories to them,
// the guidance to store some, and the server that gives both to a client without a shell. Setup
// opens no store; commands and texts come with the [Request]. [Clients] is the table of the agents
// with their files and hooks; docs/clients.md says what each gets.
//
// # Settings
//
// Settings are JSON, with comments and trailing commas as some clients allow them. The text is
// parsed only to find places in it; it is changed by inserting and removing bytes there, and never
// printed from the parsed form. So order, comments, spelling and white space of everything else
// survive. A handler is ours if it starts a program called mem with the word hook, and a shell
// would do nothing else; so one that names a mem that has moved is corrected, not duplicated, and
// no other handler is ever touched, not even one in the same group. One that runs mem's hook among
// other words (a second command, a redirection, a variable) is custom: it stays as it is, no second
// one is added for its event, and a message says so. A file that cannot be parsed, or in which
// hooks is not an object, is refused with line and column.
//
// The hook may name a root and an agent (--root, --agent), which a request that names none keeps.
// A root is read in all projects, and its rules count as the user's; [Aims] reports a change of it.
// It keeps --bridge, too (package native), of which the command is the only record. Setup writes
// that into the user's files alone, for those of a project would turn it on for other people.
//
// A line for a POSIX shell ends in " || :": where a process may have no more threads or memory,
// Go's runtime ends with 2 before main, which some clients take as an order to drop the prompt. A
// line without it is of an older mem, or for Windows, and is brought up to date.
//
//	add    a new member or element comes after the last one and its comment, in the style of the
//	       container: one line or many, its indentation, its line ends, its trailing comma or none
//	strip  the handler is removed, with one comma and the white space before it; then the group,
//	       the list and the object around it, each only if nothing is left in it, not even a
//	       comment, and it was not there before
//
// strip(add(x)) is x to the byte, for every x that add takes. The former text is known from the
// copy that the first change made (name.mem-backup), which is removed when strip has led back to
// it. When our part of the file differs from setup's by a byte, a person has changed it: then a
// change makes one more copy (name.mem-backup-1 and so on), which is never removed. Copies lie
// beside their file; those of a project, and of a file in a git repository, below
// $XDG_STATE_HOME/mem/setup, under a name that begins with a hash of the file's path.
//
// Setup lists each folder that it has to make in $XDG_STATE_HOME/mem/setup/folders, before it makes
// it, and removes the empty ones among these with the last file in them: no other folder, and no
// link.
//
// Where npm has installed mem, hooks start copies of both programs in $XDG_DATA_HOME/mem-programs:
// the original goes with its version of node. users/ beside them has a file for each file of a
// client that names them, under a hash of its path. The copies go when none of these does any more;
// an unreadable or missing one keeps them. The next setup of a client brings them up to date.
//
// Codex runs a hook only when its user has approved it, and keeps the checksum of the approved hook
// in its config.toml ([UnapprovedEvents]).
//
// # Servers and text
//
// The server "mem mcp" is the member mem of the object of servers, edited as hooks are; in TOML it
// is a table between two marked lines. It is ours if it starts a program called mem or memd with
// the word mcp: then its command is kept up to date, and what a person has added to it stays. Any
// other server of the name stays as it is, and a message says so. A client that knows the server
// keeps it, whether it is asked for again or not. For all projects, a client that is started from a
// desktop gets the whole path of mem, for its PATH may not be that of a shell.
//
// In a text file, our block stands between two marked lines, and everything outside of them is left
// alone. A file that holds nothing else was created by setup, and is removed with the block.
// Guidance has a section for each agent that the hooks name of the clients which read the file.
// That of agents-md has a line of its own, and stays until agents-md is removed. A program of a
// person's with the name of mem's is refused.
//
// # After a crash
//
// Each file is replaced by one rename of a synced file beside it, whose name begins with a dot; a
// crash leaves the old file or the new one, and perhaps the copy or the temporary file, which no
// more people can read than the file itself; the next setup removes that. Setups of one home wait
// for each other ([Surroundings.Lock]). All files are read and all changes planned before the
// first is written, so an error in one of them changes none. Links are followed to the file and
// stay; those of a project only as long as they stay inside it ([ErrOutside]). Mode and owner stay;
// a file without write permission is left alone.
package setup
