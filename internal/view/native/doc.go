// Package native finds and reads the memories that coding agents keep themselves, beside mem: a
// view that owns which of their folders are read, and which of their lines are facts of a project.
// It never writes to them, and keeps nothing, so a crash leaves nothing. Package inject puts the
// facts into a block, below mem's own memories.
//
// # Folders
//
//	Claude Code  projects/SLUG/memory below its home, or autoMemoryDirectory
//	Codex        memories below its home
//
// SLUG is the path of the repository with a dash for every UTF-16 unit that is no ASCII letter or
// digit: of the main work tree for all work trees, of the working directory without a repository.
// Claude Code cuts one of more than 200 units and adds a hash: such a project has no folder here.
//
// Only managed settings and then the user's own may name a folder, or turn the memory off
// (autoMemoryEnabled): a project's settings could name the folder of another project. A folder that
// a setting names serves all projects, as Codex's does, so only lines that name this one count: by
// its path or one in it, or by its name as a word that is part of no other name or path.
//
// A link may lead to a folder inside the client's home and nowhere else, and a folder in one of
// mem's own stores is none. What cannot be read has no facts.
//
// # Facts
//
// A fact is a topic file of Claude Code, by its description or else its text, or a line of another
// file. The *.md files of a folder itself are read, the newest first: plain files of the owner of
// the client's home, 64 KiB and 32 facts together. A file that the reader has in this version, by
// the time of its last change, is not opened. A line is left out if it has a secret or a part of
// one, is a heading, a comment or a link to a topic file, or if mem wrote it: a block that was
// injected or a line of one, a page or a topic file that was exported, also if changed since.
package native
