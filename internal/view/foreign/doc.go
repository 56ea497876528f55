// Package foreign owns the formats in which other programs keep an agent's memory: it turns the
// text of a file into memories ([Record]), each under its key, and memories into text. It knows no
// store, and opens no file.
//
// A text that is not of its format is an error that wraps [ErrFormat]. What mem wrote into a folder
// of another program shows that it is mem's, and whether somebody has changed it since ([OwnTopic],
// [OwnPage], [MayReplaceIndex], [Graph.Covers]): nothing else may be replaced.
//
// # The knowledge graph of the MCP reference server (mcp)
//
// One JSON object on each line of memory.jsonl:
//
//	{"type":"entity","name":"Ada","entityType":"person","observations":["writes Go"]}
//	{"type":"relation","from":"Ada","to":"mem","relationType":"works on"}
//
// An entity is stored at /graph/entity/<name>, a relation at
// /graph/relation/<from>/<relationType>/<to>. Content holds the names exactly:
//
//	{"type":"entity","name":"Ada","entity_type":"person","summary":"writes Go",
//	"observations":["writes Go"]}
//	{"type":"relation","from":"Ada","to":"mem","relation_type":"works on",
//	"summary":"Ada works on mem"}
//
// A name that is not a segment of a key as it stands (it has a slash or a control character, is not
// in normal form, is longer than 200 bytes, is "." or "..", is empty) becomes the part of it that a
// key may hold, "~", and 20 hex digits of its SHA-256; so does a name that ends like that itself.
// Two names never share a key.
//
// The reference server loads two entities of one name as two, and finds only the first. Here they
// are one: the type of the first, its observations as they are, and of the later ones those that
// are new. A relation that comes twice is one. These members are read too: entityName and id for
// name, entity_type, from_id, to_id, relation_type. Any other type is an error; unknown members are
// left out, as at the server's own next save.
//
// # The file of engram (engram)
//
// One object with "version", "exported_at", "sessions", "observations" and "prompts", as engram
// export writes it, in any order. An observation is stored at /engram/<scope>/<sync_id, else id>:
//
//	{"type":"decision","title":"Auth","text":"...","topic":"auth/model","project":"p",
//	"session_id":"s","created_at":"2026-02-22T10:00:00.000000Z"}
//
// Deleted observations, sessions and prompts are left out.
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
// A topic is stored at /claude/<file name without .md>; folders below become segments. Its content
// is
//
//	{"type":"feedback","summary":"tabs, not spaces","title":"Indentation","text":"The body."}
//
// without the members that the file does not have. One empty line before the body and one newline
// after it belong to the format. Of the head only name, description and type are understood (type
// also under metadata); all other lines are kept as they are in the member "frontmatter". A file
// whose head does not end has none, and is all body. Windows line ends become "\n".
//
// In MEMORY.md a line that only links to a topic of the folder is no memory. The rest of the file,
// if it is more than headings, is one memory at /claude/MEMORY: a memory for each line would leave
// a stale copy behind whenever one is edited.
//
// Written topics have two lines more in their head, so that they can be read back as what they
// were, under their own key:
//
//	mem: {"key":"/user/style","more":{"importance":6},"version":"<64 hex digits>"}
//	mem_sum: 0123456789abcdef
//
// "version" is the lineage of the version that was exported, as an archive has it: by that, and not
// by its key, an import knows the memory of a file that was edited. "more" holds the members of
// content that have no place in the file; content that is no object is the body ("as":"text" for a
// string, "as":"json" for the rest). The sum is the beginning of the SHA-256 of all other lines: a
// file whose sum is right was written by mem and not changed since, and may be replaced. MEMORY.md
// has the sum in its first line, an HTML comment.
//
// # One file for a prompt (memory-md)
//
// A MEMORY.md of at most 200 lines and 25,000 bytes, because Claude Code reads no more: a heading,
// and a list with one memory on each line, in which "<!--" and "@path", which would hide what
// follows or include a file, are escaped.
package foreign
