// Command recall measures whether the program brings the right memories: questions whose evidence
// is known, put to the real binary.
//
//	go run ./scripts/recall -mem bin/mem -data DIR [-set a,b] [-context] [-off FILE] [-run FILE]
//	go run ./scripts/recall -floor scripts/recall/testdata/floor [-mem bin/mem -data DIR ...]
//
// DIR holds pairs of files, one JSON object on a line:
//
//	<set>.corpus.jsonl   {"key","ts","content"}
//	<set>.queries.jsonl  {"id","query","evidence":[keys],"alt":{key:[keys]},"scope","now","context"}
//
// Each set becomes a store of its own by "mem set -" and "mem compact", and each query looks only
// below its scope, at its time. What is printed, in percent and averaged over the queries of a set:
//
//	R@k, MRR  of mem search: the share of the evidence among the first k hits, and one over the rank of the first evidence
//	floor     R@10 of mem search --relevant
//	T2000     the share of the evidence on the page that mem read --query --token-limit 2000 prints
//	off       the share of the prompts in the file of -off at which mem hook tells the model anything
//
// Evidence is found when its record or one that says the same (alt) is. The prompts of -off have
// nothing to do with what is stored; offtopic.txt beside this file has two hundred. With -context
// the last turns of a conversation are the query and not its last message alone. With -run what was
// found is written as JSONL, {"id","keys":[...],"packed":{"2000":[...]}}, for other tools to judge.
//
// # The floor
//
// With -floor stores of 20 to 1,000 notes are made in memory, alone and as the project's layer
// beside a user's of 10 to 60, and asked as a hook asks. The directory has
//
//	notes.txt  notes of several projects: "# name" begins one, "? prompt" asks for the note above
//	user.txt   those of a user
//	off.txt    prompts that have nothing to do with any of them
//
// A store begins with the notes of one project and goes on with the next ones. What is printed, in
// percent over all stores of a size, for either half of the prompts (every second one):
//
//	off  the share of the prompts in off.txt at which anything is told
//	on   the share of the prompts whose note is told
//
// All of it was written for this. The last project of notes.txt, which only fills stores that are
// larger than all others together, is sentences out of the comments of mem. The bounds of the floor
// were chosen by the first half.
package main
