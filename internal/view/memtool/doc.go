// Package memtool is the memory tool that Anthropic's models are trained to use (memory_20250818):
// a view above the Store that shows them a directory /memories, with six commands.
//
// # Stored files
//
// One envelope for each file, under its path as the key:
//
//	/memories/todo/today.md  {"type":"file","text":TEXT}
//
// A path is read as keypath reads a key, so two names that are different files are different keys,
// case counts, and a name that would show as another is refused. A directory is there as long as
// there is a file in it; /memories itself always is. What another verb has stored below /memories
// is a file, too: its text is the member text, or the text that the content is, or else its JSON.
// An edit keeps the other members of a content, but for the time that it names.
//
// Each change names its author as its source, and is in the history like any write: a delete and
// the old name of a rename leave tombstones, and mem undo takes them back. A renamed file keeps its
// source, and its time as created_at. Policy holds as for a set: a file is at most 1 MiB with the
// escapes of JSON, so none has as many lines as the documentation limits.
//
// # Answers
//
// They are word for word those that the public documentation of the tool has. Where it is silent
// they are those of the TypeScript SDK's own implementation, with "Error: " before what that
// throws; scripts/memtool holds both against each other. On purpose they differ in this:
//
//   - a text to replace may span lines, and is refused where it occurs twice in one line, too;
//   - a view_range that no line is in is an error that says how many lines there are;
//   - a directory's size is that of the files in it;
//   - ".." is refused wherever it stands, also behind backslashes and percent signs; so is a path
//     that only begins with the letters of /memories.
//
// # Two agents at once
//
// A change is planned from the stored files, and its writes pass the rules of the Store; then,
// within the update that excludes all others, it is planned again from the files stored by then. If
// both plans agree the change is stored; otherwise it begins anew. So no edit is lost, and an
// answer is true of the moment of its write.
//
// Nothing is kept here. After a crash a change is there as a whole, or not at all.
package memtool
