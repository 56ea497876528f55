// Command recall measures whether search brings the right memories: questions whose evidence is known, put to package fts through the real
// sidecar.
//
//	go run ./scripts/recall -data DIR [-set a,b] [-context] [-off FILE] [-run FILE]
//
// DIR holds pairs of files, one JSON object on a line:
//
//	<set>.corpus.jsonl   {"key","ts","content"}
//	<set>.queries.jsonl  {"id","query","evidence":[keys],"alt":{key:[keys]},"scope","now","context"}
//
// Each set becomes one state, and each query looks only below its scope. What is printed, in percent and averaged over the queries of a set:
// R@k, the share of the evidence among the first k hits; MRR, one over the rank of the first evidence; floor, R@10 when only what is clearly
// relevant counts. Evidence is found when its record or one that says the same (alt) is.
//
// With -context the last turns of a conversation are the query and not its last message alone. With -off, a file of prompts that have nothing to do
// with what is stored, one on a line, off is the share of them that bring anything past the floor, over all scopes of a set. With -run the
// keys found are written as JSON, {query id: [keys]}, for other tools to judge.
package main
