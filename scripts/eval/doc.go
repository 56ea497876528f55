// Command eval measures recall on public sets, out of the files that their authors publish: records
// go into stores by the real binary, and questions whose evidence is known are put to it.
//
//	make eval DATA=DIR
//	go run ./scripts/eval -mem bin/mem -data DIR [-set a,b] [-out FILE] [-score FILE]
//
// DIR holds the files under their names; of those that are not there the sets are not run:
//
//	locomo10.json         https://github.com/snap-research/locomo, data/
//	longmemeval_s*.json   https://huggingface.co/datasets/xiaowu0162/longmemeval, or
//	                      longmemeval_s_cleaned.json of .../xiaowu0162/longmemeval-cleaned
//	MADial-Bench-*.json   https://github.com/hejunqing/MADial-Bench, data/en and data/ch: memory
//	                      and dialogue, in English (en) and Chinese (zh)
//
// The sets and their units:
//
//	locomo-turns     a record is a turn with its speaker, a store is a conversation, the
//	                 evidence are turns
//	locomo-sessions  a record is a session, its turns verbatim; the evidence are the sessions of
//	                 these turns
//	longmemeval-s    a record is a session, verbatim, and each question has a store of its own
//	madial-en, -zh   a record is an event, a store is a child; asked is all that was said
//	                 before the first test turn, as the authors do
//
// Questions of LoCoMo and LongMemEval-S are asked as they stand there, so a phrase in quotation
// marks is one for mem search too. Of dialogues the marks are taken out. Stores are compacted
// before they are asked. A question is asked at its date, or a day after the newest record.
//
// What is printed for each set, in percent and averaged over its questions:
//
//	records, refused    the stored ones, and those that look like a secret; refused evidence is
//	                    missed
//	questions, skipped  the asked ones, and those without evidence, or of which no evidence
//	                    names a record
//	hit@k               the questions with any of their evidence among the first k hits
//	R@k, MRR            the share of the evidence among the first k hits of mem search, and one
//	                    over the rank of the first evidence, of 20 hits
//	ms                  mean time of a query, from the start of a process to its end
//	sha256              of each file: sets circulate in several versions under one name
//
// With -out each question is written as a line,
//
//	{"set","question_id","query","gold":[ids],"ranked":[ids]}
//
// and with -score the rankings of LongMemEval-S as {"question_id":[ids]}, which deja-vu scores
// (https://github.com/vshulcz/deja-vu, docs/benchmarks/SUBMISSION.md):
//
//	go run ./scripts/longmemeval -data longmemeval_s.json -score FILE
//
// # Caveats
//
// Figures compare only for the same unit: a session is easier to find than a turn, and a rank among
// 50 sessions is not one among 600 turns. R@k counts each piece of evidence; tools that count a
// question as found by any of them print more. LongMemEval-S is asked with its questions that have
// no answer (_abs), which name the sessions that come near; some leave them out.
//
// One half of LoCoMo was used to choose the weights of the search, and so was one of MADial-Bench
// (docs/search.md): their figures are not those of sets that were never seen. LongMemEval-S is not
// among the sets of that page. The records differ from those there: conversations of LoCoMo are
// scopes of one store there, and of MADial-Bench the last message is the question.
//
// Captions of images in LoCoMo are left out, although some questions are about the image.
//
// The files of testdata have the formats of the sets and were written for the test: nothing of the
// sets is in this repository.
package main
