// Command recall measures whether the program brings the right memories: questions whose evidence
// is known, put to the real binary.
//
//	go run ./scripts/recall -mem bin/mem -data DIR [-set a,b] [-context] [-off FILE] [-run FILE]
//	go run ./scripts/recall -floor scripts/recall/testdata/floor [-mem bin/mem -data DIR ...]
//	go run ./scripts/recall -daily scripts/recall/testdata/daily [-mem bin/mem] [-off FILE]
//		[-half first|second] [-v]
//	go run ./scripts/recall -start scripts/recall/testdata/start [-mem bin/mem] [-set a,b] [-v]
//	go run ./scripts/recall -derived DIR
//	go run ./scripts/recall -capture scripts/recall/testdata/capture
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
//
// # A working month
//
// With -daily the real binary is given what agents noted in a month, in two repositories ("pay", an
// API in Go, and "shop", a web shop in TypeScript) and of their user, and its hook is asked on the
// morning after, each prompt in a conversation of its own. The directory has, one JSON object on a
// line,
//
//	notes.jsonl    {"id","repo","ts","text","tags","type","key"}  200; with a key by mem set, else notes
//	prompts.jsonl  {"id","repo","class","long","evidence":[ids],"prompt"}  60, as people type them
//	off.jsonl      {"id","long","prompt"}  40 that have nothing to do with any note
//	facts.jsonl    {"id","repo","key","prompt","texts":[{"ts","text"}]}  50 that changed, oldest first
//	wordings.jsonl {"id","words":[2]}  how an agent might search for the answers to the hard prompts
//
// A third of the prompts each are easy, middle and hard, and a third are whole sentences. What they
// share with their note counts where it stands in at most 5 of the memories that can be told there:
//
//	hard    no word at all
//	middle  one word or two, neither a name nor an identifier
//	easy    more, or a name or an identifier that stands in at most 2
//
// TestClassesOfPrompts holds them to that. All of it was written for this, without a look at the
// code that ranks; but a part was revised after a first run, as docs/search.md says. What is printed
// for each layout (a .mem in each repository beside the user's store; a store for each repository
// and none of the user; one store for all), in percent of the prompts:
//
//	easy, middle, hard, all  the note is told at the prompt, in a conversation that was told nothing
//	first                    it is the first line there
//	start                    it is told at the start of the conversation or at the prompt
//	off, off 2               anything is told at a prompt of off.jsonl, asked in both repositories, and
//	                         at those of -off, asked in either by turns
//	wanted                   the share that answers of all lines told at the 60 prompts
//
// and as they are
//
//	wrong, wrong s  lines of the other repository: at the 60 prompts, and at one start in each
//	tok, tok s      tokens, estimated as the program does, for a prompt and for a start
//
// and for each way to write a fact anew, in layers beside the notes, in percent of the facts:
//
//	first  the newest text is the first line
//	told   it is told
//	old    an older text is told, too or alone
//	above  an older text is told, and the newest not before it
//
// -half asks every second prompt: what is chosen by one half is judged by the other. With -v what
// was missed is named, and what was told that nobody asked for.
//
// # The start of a conversation
//
// With -start the hook is asked for the block at the start of a conversation, in stores of different
// habits, each a project's and its user's. The directory has, one JSON object on a line,
//
//	NAME.notes.jsonl   {"id","ts","text","type","tags","key","layer","status","importance","pinned"}
//	NAME.wanted.jsonl  {"id","why"}  the ten that a new session needs, chosen without the ranking
//
// Tasks are stored by mem task, notes with a type by mem set and others by mem note, at their times.
// What is printed: how many notes there are and how many of the ten the block has, its tokens, and
// its memories.
//
// # Requests to remember
//
// With -capture package capture judges labelled prompts, without the binary. The directory has, one
// JSON object on a line,
//
//	requests.jsonl  {"id","lang","class","prompt"}  prompts that ask to remember something
//	nothing.jsonl   {"id","lang","class","prompt"}  prompts that do not, though they look like it
//	sessions.jsonl  {"id","events":[{"type","text"}],"want":[{"class","must":[words]}]}
//
// Prompts stored, proposed and left alone are printed by class and language, for even ids and for
// odd ones, then precision and recall with Wilson intervals of 95 %, and those of corrections: a
// session that wants one has it in a prompt after the first. The rules were written by the even
// ids, and only their misses are printed; the odd ones judge. testdata/capture-commands has commands
// that keep something and state nothing, as "save that", and requests that do. testdata/day has
// commands, statements, and prompts over notes, by a writer that had not seen the rules.
//
// # Edits
//
// testdata/edits/edits.jsonl has 40 edits in the stores of -start: {"store","path","want"}, the note
// that matters there, if any, and "near" where a note seems to name the file and does not. A test
// counts how often a hook at the edit brings the note, and how often nothing. The notes were taken
// without a thought of edits; the edits were chosen by the author of the rules.
//
// testdata/edits-month and edits-named each have 40 edits over 200 memories of one repository, by a
// writer without a look at the code: memories.jsonl, edits.jsonl with why each matters or seems to, and files.txt, the
// files of the repository.
//
// # Derived proposals
//
// With -derived the rules of package derive read DIR/sessions.jsonl, one situation on a line:
//
//	{"id","lang","events":[{"type","text","tool","command","file","exit"}],"want":[{"class","text","must"}]}
//
// A proposal is right if its text has all words of must, in any case and whatever its class, of a
// fact that is wanted there. Printed for even and odd ids apart, with 95 % intervals of Wilson: the
// proposals by their class, and the wanted facts by theirs, without corrections. The rules were
// written by the even ids, whose misses and wrong proposals are named.
package main
