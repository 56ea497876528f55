// Package exchange owns the formats in which other programs keep an agent's memory: how they are read into keys and content, and how
// memories are written for them. It stores nothing and opens no file.
//
// # The knowledge graph of the MCP reference server (mcp)
//
// One JSON object on each line of memory.jsonl:
//
//	{"type":"entity","name":"Ada","entityType":"person","observations":["writes Go"]}
//	{"type":"relation","from":"Ada","to":"mem","relationType":"works on"}
//
// An entity lives at /graph/entity/<name>, a relation at /graph/relation/<from>/<relationType>/<to>. Content holds the names exactly:
//
//	{"type":"entity","name":"Ada","entity_type":"person","summary":"writes Go","observations":["writes Go"]}
//	{"type":"relation","from":"Ada","to":"mem","relation_type":"works on","summary":"Ada works on mem"}
//
// A name that is no segment of a key as it stands (it has a slash or a control character, is not in normal form, is longer than 200 bytes, is "." or
// "..", is empty) becomes what can be shown of it, "~", and 20 hex digits of its SHA-256; so does one that ends like that by itself. Two names never
// share a key.
//
// The reference server loads two entities of one name as two, but finds only the first by its name, refuses to create the second, and adds to an entity
// only observations that it has not. So here they are one: the type of the first, its observations as they are, and of the later ones those that are
// new. A relation that comes twice is one. Also read: entityName and id for name, entity_type, from_id, to_id, relation_type. Any other type, which
// the server would silently drop, is a fault; members that it does not know are left out, as at its own next save.
//
// # The memory folder of Claude Code (claude-memory)
//
// One markdown file for each topic, with a head, and MEMORY.md, which links to them:
//
//	---
//	name: Indentation
//	description: tabs, not spaces
//	type: feedback
//	---
//	The body.
//
// A topic lives at /claude/<file name without .md>; folders below become segments. Content is
// {"type":"feedback","summary":"tabs, not spaces","title":"Indentation","text":"The body."}; what the file does not have is left out. One empty line before the
// body and one newline after it belong to the format. Of the head only name, description and type are understood (type also under metadata); all other lines
// stand as they are in the member "frontmatter". A file whose head does not end has none, and is all body. In a file with Windows line ends they become "\n".
//
// In MEMORY.md a line that does nothing but link to a topic of the folder is no memory. What is left, if more than headings, is one memory at
// /claude/MEMORY: a line of its own for each would leave a stale copy behind whenever one is edited.
//
// Written topics have two lines more in their head, and so come back as what they were, under their own key:
//
//	mem: {"key":"/user/style","more":{"importance":6}}
//	mem_sum: 0123456789abcdef
//
// "more" holds the members of content that have no place in the file; content that is no object stands in the body ("as":"text" for a string,
// "as":"json" for the rest). The sum is the beginning of the SHA-256 of all other lines: a file whose sum fits was written by mem and not touched since, and may
// be replaced. MEMORY.md has the sum in its first line, an HTML comment.
//
// # One file for a prompt (memory-md)
//
// A MEMORY.md of at most 200 lines and 25,000 bytes, for Claude Code reads no more: a heading, and a list with one memory on each line. Every line is
// one of ours, so no stored text forges a heading; "<!--" and "@path", which would hide what follows or have a file read in, are escaped.
//
// # After a crash
//
// Nothing is written here. Who writes a folder replaces one file after the other, MEMORY.md last: every file is whole, and no link leads nowhere.
package exchange
