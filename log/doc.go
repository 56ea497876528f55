// Package log owns log.jsonl: the envelope, its line, appending, scanning, the lock and the
// watermark.
//
// # Format
//
// log.jsonl, state.jsonl and every file in archive/ hold one envelope on each line, UTF-8, ended by
// "\n". The worked line:
//
//	{"key":"/user/preference/style","ts":"2026-02-22T10:00:00.000000Z","valid":true,
//	"source":{"kind":"user","name":"chat"},
//	"content":{"type":"preference","summary":"用户喜欢中文"},
//	"checksum":"sha256:46298cfc341e315a18141274f9d1239da1022a28f7e728df34ba85d00b6cbc4a"}
//
// Its members, always in this order:
//
//	key       string, the memory's identity (package keypath)
//	ts        time of the write, UTC, always six decimals: the order of texts is the order
//	          of times
//	valid     false exactly when content is null: a tombstone
//	source    object or string, where the write comes from (package policy)
//	content   any JSON
//	checksum  "sha256:" and 64 hex digits: SHA-256 of the line without this member and without
//	          the newline
//
// Here a line is sealed if it ends in its checksum ([Seal]); package seal, which encrypts contents,
// is about something else.
//
// A source may have the member claimed, which mem adds: no person vouches for the line, so it is no
// rule of the user, whatever it says. Its value is the origin of the claim: "import", "repository",
// "touch", or "client" and the name of a client or an agent. A source that is a string becomes
// {"name":STRING,"claimed":ORIGIN}, or {"url":...} where it is a URL. The mark is part of the line,
// so it goes wherever the line goes. A mem before 0.2.0 kept the marks in the file imported beside
// the log; a root that has this file is refused.
//
// Content and source are what the caller gave, byte for byte but for insignificant white space and
// the \u escapes of characters that print: the spelling of numbers and the order of members
// survive, and grep finds text in every script, whatever program wrote it. An envelope that comes
// from elsewhere keeps its escapes too, for its checksum goes over them. So a line can be verified
// by hand:
//
//	tail -n 1 log.jsonl | tr -d '\n' | sed 's/,"checksum":"[^"]*"}$/}/' | sha256sum
//
// Readers are more lenient than writers: members in any order, white space, "\r\n", a byte order
// mark, blank lines, other spellings of ISO 8601, a missing checksum, missing valid, unknown
// members. They refuse what could mislead: duplicate names, invalid UTF-8, lone surrogates, nesting
// past 128 levels, a wrong checksum, lines past 8 MiB. Limits in bytes: key 1,024, content 1 MiB,
// source 64 KiB.
//
// The newest ts of a key wins; for equal ts a line with a checksum, then the greater line. A fold
// is thus the same in whatever order, and however often, it meets the lines.
//
// watermark is one record of fixed width, rewritten in place under the lock, with a checksum by the
// same rule:
//
//	v        format version
//	gen      generation: grows with every compaction, rotation and purge; odd while one is
//	         renaming files
//	applied  bytes of log.jsonl that index/ mirrors
//	max_ts   newest ts ever written here
//	ino      inode of log.jsonl
//	boot     boot id of the system under which index/ was last written
//	last     sum of the last line below applied
//
// lock is the flock target. It names its holder: pid, op, since; it is blank while the lock is free
// or the holder does not sign. It is never renamed or removed, because a lock on a replaced file
// excludes no other process.
//
// # Writing
//
// Append is one write and one fsync, under the lock; when the fsync returns the write is
// acknowledged. A failed or short write is cut off again. A failed fsync is final: the kernel may
// have dropped the pages, so nothing is acknowledged, the bytes are cut off, and the descriptor is
// not trusted again.
//
// # After a crash
//
// The log can be in four states, and the next writer heals each before it appends:
//
//  1. It ends in a newline, and the watermark is behind: the lines after it were written, perhaps
//     not synced, perhaps not acknowledged. They are synced and put into the index.
//  2. The last line is whole but has no newline: the write was cut just there, or an editor dropped
//     it. It gets one. So does a line of which one bit has flipped, which a repair puts right.
//  3. The last line is torn. It was never acknowledged: its bytes go to quarantine/ and are cut
//     off.
//  4. The log is another file than the watermark speaks of, or shorter, or its last line differs,
//     or it has gained lines older than the newest write: another program has changed it. The whole
//     history is folded, and everything derived rebuilt.
//
// A line damaged in the middle is passed over by readers, reported by fsck, and set aside by a
// repair.
//
// A line after the year 9998 would leave no room for the stamps of later writes: no clock is
// allowed to say such a time. Where another program has added one, more than two seconds after all
// that the store has written, the next writer moves it to quarantine/ and cuts it off the log, also
// off one that git tracks: what only ignored it would have to do so on every machine. Any earlier
// time stays, for the clock of this machine may be the one that is wrong; later writes of its key
// win all the same. One in an archive stays until a repair, and no stamp follows it.
//
// # Promises
//
// An acknowledged write survives a kill at any instruction and a power cut at any time. The next
// write heals the store by itself. No error is swallowed or returned as an answer. Readers see
// whole files only, and miss no live key. The later write of a key wins, whatever the clock says.
//
// Trusted for it: that synced bytes and names stay, that bytes not written to stay, that a rename
// is one step, that flock excludes, and that the boot id changes at a boot. Nothing is assumed of
// bytes that were not synced. docs/promises.md names the tests.
package log

import (
	_ "embed"
	"strings"
)

//go:embed doc.go
var docSource string

// FormatDoc returns the sections "Format" and on of this package's comment as plain text, for "mem
// help format". The worked line, which the comment breaks after commas, is one line in it.
func FormatDoc() string {
	comment, _, _ := strings.Cut(docSource, "\npackage log")
	_, comment, _ = strings.Cut(comment, "// # Format\n")
	var out strings.Builder
	broken := false
	for line := range strings.Lines(comment) {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
		if broken {
			line = strings.TrimPrefix(line, "\t")
		}
		if broken = strings.HasPrefix(line, "\t{") || broken; broken {
			broken = strings.HasSuffix(line, ",\n")
		}
		if broken {
			line = strings.TrimSuffix(line, "\n")
		}
		out.WriteString(strings.TrimPrefix(line, "# "))
	}
	return strings.TrimSpace(out.String()) + "\n"
}
