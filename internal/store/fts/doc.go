// Package fts finds memories by their words: an inverted index over the live records, and the score
// of a record for a query. It knows no clock but [Options.Now] and mixes in neither recency nor
// importance: package readout does that.
// docs/search.md has the measurements behind the numbers below, and the rejected ideas.
//
// The index is a sidecar of the state, ROOT/cache/fts; package sidecar has the container: when it
// is believed, its sums, what a crash leaves. Absent or stale, it is not used ([Open]); damaged,
// the search that meets the damage says so ([ErrStale]). In both cases a [Tail] of all records
// finds the same, slower. The records that the log has gained since are such a tail beside the
// sidecar, and every statistic counts both.
//
// Package analyzer turns a text into terms. The files of the index (open, dict, postings, keys,
// folders, rows, closed, scope, natural; build, reuse, part, merge, arena, collect, write; tail,
// tailread, tailfind, termfilter, wordtable) refer to no file of the search.
//
// Several stores are searched as one in two steps: [Prepare] looks the query up in each, and
// [Prepared.Search] scores by their [Stats] added up. Neighbors and folders stay within their
// store, and the limits hold for each: 10,000 ranked records, 100 words for a prefix.
//
// # Format
//
// "memfts8" and [keypath.Edition], pages of 1024 bytes; the numbers are [analyzer.Version], rows,
// terms, and words of all rows. The sections, little-endian:
//
//	lists      of postings, one for each term
//	terms      sorted, in blocks of 32: bytes shared with the one before, bytes of its own
//	           (uvarint), those; records that have it, bytes of its list (uvarint)
//	blocks     of terms: where each begins, where its first list begins (uint64)
//	keys       of the rows, in blocks of 16, with what they share as in terms
//	blocks     of keys: where each begins, words of all rows before it (uint64)
//	lengths    a byte for each row: its words, in steps of an eighth (lengthCode)
//	marks      of each row, uint16: how it speaks (marks.go)
//	of rows    the folder of each row, uint32
//	order      of the rows, by folder and by their names in it (see Score): rows, uint32
//	places     of each row in that order, uint32
//	stamps     of each row: the time of the memory in microseconds, int64
//	folders    by name: the first place of its rows, how many (uint32), words in them (uint64)
//	closed     runs of rows, each of one realm that not everybody sees and in one folder: its
//	           first row, the one behind its last, and class + 256 * label (keypath.Class,
//	           keypath.Label; uint32)
//
// A row is a line of the state; rows have its order, that of the keys. A list of more than 128
// postings is cut into blocks, with a table of their first rows before it. A posting is
// uvarint(rows since the last * 4 + kind): 0, once in text; 1, a byte field + 8*(count-1) follows;
// 2, a byte with a bit for each field and a byte for each count follow. Terms that are no words
// begin with a byte below the space: the day of the memory's time, whole tags, the type, the
// speaker's name, that byte alone where there is a speaker, and forms of words with their stems: by
// a form beside its stem prefix* finds words, not only stems. So do * and ? anywhere else in a word
// ([ParseQuery]); a pattern that begins with one walks the whole dictionary. A form has no list;
// the number of records that have it says when the last of them is gone.
//
// A build may take over the lines that stay from the index of the state before
// ([Builder.Reuse]): the file is the same, byte for byte. Whatever a file says under right sums, no
// reader leaves its bounds.
//
// # Score
//
//	score(r) = own(r) + shares of the neighbors + speaker(r) + 0.25*folder(r)
//	own(r)   = (covered(r) / covered by all terms)^(1/4) * sum over the terms t in r of
//	           w(t) * idf(t) * sat(f(t,r), 1 - b + b*words(r)/mean)
//	sat(f,n) = f*(k1+1) / (f + k1*n)        k1 = 1.2, b = 0.3; dates: sat = 1
//	f(t,r)   = sum over fields of weight*count: text, summary, title, other values, tags 1,
//	           segments of the key 0.3
//	idf(t)   = ln(1 + (N - n + 0.5)/(n + 0.5)), of the records in scope
//	covered  = sum of w*idf of the terms that a record has
//	w(t)     = 1; 0.3 for a word that is also the name of a speaker
//	speaker  = 3*min(idf, 1.5) for each speaker whom the query names, on records of theirs that
//	           score at all
//	folder   = the sum of own for the whole folder as one text, without dates and coverage
//
// A neighbor is one of the two records before or after in the same key folder: the nearest gets 0.3
// of own, the one behind it 0.1, and what follows a question 0.6. Names stand as people count, by
// the values of the numbers in them: m-2 before m-10. Those that change more than three times
// between letters and digits are drawn ids, and come last, by their bytes.
//
// A date in the query (7 May 2023, 2023-05-07, May, 5月7日, yesterday) counts as
// terms of the records' times. With a scope (key:/a/b, [Query.Narrow]) only what lies there counts,
// in the statistics too: a term is rare or common where it is looked for. What the caller may not
// see ([Options.Sees]) is as if it were not there: it counts in no statistic, and gives nothing to
// its neighbors and its folder. Only which words a pattern (con*g) stands for is looked up among
// all that is stored.
//
// A term in more than 20,000 records, and in a tenth of all, counts only in records that have a
// rarer one. If more than 10,000 have a score of their own, the best 10,000 go on. Equals are
// ordered newest first, then by key. [Result.Explain] takes a score apart.
//
// # The order of the first places
//
// The best 20 by score are put in order by
//
//	by(r) = 0.67 * ((score - best) / (deviation + 0.3) - ln place) + lift(r)
//
// with the deviation of their scores and their places by score, from 1. It changes their order and
// nothing else: no score, and not what the floor lets pass. The lift is the sum of
//
//	self    +0.47  how often the record says I, my, we (up to 2), if the query names its speaker;
//	               0 of another's, and taken off where the query names nobody
//	you     -0.29  how often it says you, your (up to 4)
//	answer  +0.51  the record before it in its folder ends in a question
//	cover   +1.56  share of the query, in what its words are worth, that it or that one has
//	vague   -1.47  the share that is vague words in it
//	number  +2.2   it has a number, and the query asks how many, how much, how long
//	date    +0.44  it has a date word; twice that if the query asks when
//	title   +0.5   it has a title in 《》; three times that for one, or for a name in quotation
//	               marks, if the query asks for a book, a song, a name
//
// and of the like in Chinese (我, 你, 几, 昨天, 《》). Of self, you and answer counts the share of the
// records in scope that have a speaker or a role, of the others at least half: in a store without
// speakers these mislead. A phrase that a question quotes ("Becoming Nicole") counts as its words,
// while other phrases must stand in every hit. How a record speaks is taken from its text, summary
// and title. [Arrange] does it, over several stores too.
//
// # The floor
//
// [Result.Relevant] returns only hits that are clearly relevant. A record is evidence by the words
// that it shares with the query: small talk ("go on", 谢谢), function words of six more languages
// (aber, porque) and small numbers prove nothing; a vague word (solve, recent, amount), one that
// every project has (file, branch, 数据库), a letter or a number of three digits half. It takes as
// much as half a word that only one record has, and besides
//
//	two pairs of characters, four of such words; or
//	one word and a half, and of the query, in what its words are worth, 16 to 36 %; or
//	one word, and 30 to 80 % of the query; or
//	one name or identifier that at most two records have, and 25 % of the query; or
//	where the query names a speaker, two words or 30 %.
//
// A name is a word that the query or the record writes with a capital letter or as no word is
// written (idem_keys, v2b), or one that is no word of every day or of programming
// (readout.IsCommon). Equal texts count once: a fact that was noted three times is as rare as if it
// had been noted once.
//
// The first percentage is for up to 50 records and the second from 800 on, for the more is stored
// the more is shared by chance; the records of all stores count that are searched as one. A word is
// rare in a small store because the store is small: that is why the words of every project are
// listed, and not found. If no hit is evidence by itself, there is none; else all
// count that have 30 % of the best score.
//
// # The focus
//
// For lines that nobody asked for [Focus] keeps at most five of these hits, compared by the words
// and the score that each has of its own: many are near the best where all notes lie in one folder,
// whose score each of them has.
package fts
