// Package keypath owns the rules of keys and the one mapping between a key and its file below
// index/. It touches no disk, so a crash leaves nothing of it.
//
// # Keys
//
// A key is the name of a memory: "/user/preference/style". [Parse] brings every spelling of a key
// to one form and refuses, with the fault and its byte position, a key without a safe form:
//
//   - A key begins with "/" and has at least one segment. Runs of "/" collapse and a trailing "/"
//     drops.
//   - It is Unicode NFC, and at most [MaxLen] bytes long once it is.
//   - Refused: "." and ".." as whole segments; control characters (C0, DEL, C1); invalid UTF-8; the
//     line and paragraph separators U+2028 and U+2029; the bidirectional controls, with which a
//     stored name could show as another.
//   - Refused: more than 30 combining marks in a row. The normalizer would break the run up with a
//     character (U+034F) that no other NFC library adds.
//
// # New keys
//
// Earlier builds took keys that show as others do, and stores have them for good. So [Parse]
// accepts them, and [Key.CheckNew] refuses them for new memories:
//
//   - an ignorable character of Unicode (zero width, fillers, variation selectors, ...), unless it
//     is visible in its place; see package text;
//   - a blank of any kind at either end of a segment.
//
// [Key.Shown] returns a key as people are shown it, and no two keys the same: as it is, or in
// double quotes as a JSON string, with escapes (\u200b) for whatever does not show, for blanks at
// the ends of segments, and for the second of two in a row. A key begins with a slash, so the verbs
// take back what they print: mem get '"/kb\u200b/x"'. A [Name] is the shorter form for lines of a
// prompt and for arguments: without the first slash, where nothing else can be meant.
//
// A [Key] can only be made by Parse, so a caller that has one need not check it again. A [Prefix]
// follows the same rules and also has a form for "everything".
//
// # Realms
//
// The realm of a key ([Key.Realm]) decides which callers may see it: its class, which is that of
// the grammar of a view's keys, and its owner where it has one.
// /agent/ada/journal/01ARZ3NDEKTSV4RRFFQ69G5FAV, of exactly four segments, is of class [Private]
// and Ada's; /agent/ada/notes is neither. A ULID is 26 characters of Crockford's base 32, in any
// case of letters. What a class means is package policy's to say.
//
// # Paths
//
// [Key.Path] returns the key's file, relative to index/. Directories mirror the
// levels of the key:
//
//	/user/calendar/2026-02-23_10-00_牙科复诊
//	 user/calendar/2026-02-23_10-00_牙科复诊@b5dbba.json
//
// A path is a function of the key alone, the same on every machine. Letters of every script stay as
// they are; what some common file system or shell cannot bear is written as %XX, upper-case, for
// each byte of its UTF-8:
//
//   - the characters % @ < > : " \ | ? * anywhere;
//   - "." and "-" in front (hidden files, options), "." and space at the end (Windows strips them);
//   - the first character of a Windows device name (CON, COM1, CONIN$, ...), alone or before a
//     ".ext";
//   - a combining mark right after an escape: a file system or a program that normalizes names
//     could otherwise compose "%3C" and a cedilla to "%3Ç". So every path is NFC, as its key is.
//
// A segment whose encoded form would pass 200 bytes is cut at a character, never inside an escape,
// and ends in "~" and the first 16 hex digits of the SHA-256 of the raw segment; it then has at
// most 200 bytes. A segment that is short, but ends by itself in "~" and 16 lower-case hex digits,
// So [Decode] knows for certain whether a path holds its whole key, and no caller can choose the
// digits to take the place of a longer segment.
//
// The last segment is followed by "@", the first 6 hex digits of the SHA-256 of the whole key, and
// ".json". The name of a directory has no "@", so /a and /a/b can both exist. The longest name has
// 212 bytes, which leaves room for a temporary suffix below the usual limit of 255.
//
// # Limits
//
//   - Where a disk ignores case, /User/x and /user/x share a directory but not a file: the hash in
//     the file name is taken over the key as written. It has 24 bits. Two keys that differ only by
//     the case of letters collide on such a disk with probability 2^-24, one pair in 16.7 million.
//     On a disk that keeps case they never do.
//   - Two keys whose long segments were cut share a path only if the 64 bits of every cut segment
//     and the 24 bits of the key agree. A cut path cannot be read back; the file it names carries
//     the key in full.
//   - A character that Unicode assigns after this build's tables were made passes as it is. Should
//     it turn out to have a normal form of its own, a newer build spells such a key differently.
//   - The whole path may be longer than 260 characters, which older Windows programs refuse.
package keypath
