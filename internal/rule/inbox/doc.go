// Package inbox keeps on this machine what hooks have seen of a person's work, and the facts that
// they propose from it, until the person decides: files below the state directory, outside of every
// store. No search, read or injection opens them.
//
// # Format
//
// Everything lies below $XDG_STATE_HOME/mem/inbox, directories 0700, files 0600:
//
//	sessions/SUM.jsonl  the journal of one conversation
//	proposals/ID.json   one fact that waits
//	proposals/MARK.json one that was decided or has expired
//	key                 the random key of the marks
//	scheduled           what models wrote for later prompts, as hashes: nobody typed that
//
// SUM is 32 hex digits of sha256(client, 0, session). The first line of a journal is a [Session],
// each other one a [Step]: a tool, its command and its files, never output. A line takes at most
// 8 KiB.
//
// A [Proposal] is one line. ID is c- and 10 letters of the SHA-256 of the store and the folded
// text, so one fact has one id, however often it is proposed, and an id names one text. A decided
// or expired one is replaced by {"id":MARK,"gone":TS}, and is not proposed again for 180 days. MARK
// is r- and 32 hex digits: 24 of the HMAC-SHA256 of the letters and digits of the text under the
// key, and 8 of that of the mark's place, so that the mark alone does not confirm a guessed text,
// and a purge of the text finds it ([Inbox.Unmark]). Builds before had {"id":ID,"gone":TS} in the
// proposal's file, which counts as before. Only a proposal or a decision replaces expired ones; to
// list them changes nothing. All ages are those of the system's clock, as the files have them.
//
// The mark of a rule has its fact, too: typed again after that was forgotten, the rule is proposed.
//
// A proposal of the class rule is about a memory (fact) that a typed prompt has stored, and its id
// is of the store, the text and the class. It does not expire, and does not count among the 50 that
// wait for a store; there is room for 200 of them.
//
// A journal exists only where a session began while capture was on, and [Inbox.Append] makes none:
// so a tool's hook reads no configuration. A journal takes 128 KiB, then no more lines; together
// they take 1 MiB, the oldest leave first. Journals and proposals leave after 14 days.
//
// # After a crash
//
// There is no lock. A line is appended by one write: a process that ends in between leaves a torn
// line, which readers skip, with the next one glued to it. A proposal is replaced by one rename and
// not synced: a power cut may lose it. Where two processes propose or decide the same at the same
// time the last rename counts; a decision may be lost to a proposal of the same moment, and is then
// asked for again.
package inbox
