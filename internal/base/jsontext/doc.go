// Package jsontext owns how JSON is checked, walked and written as text: values are decoded only
// when a caller asks, and the caller's spelling is kept. It touches no disk, so a crash leaves
// nothing of it.
//
// [Compact] checks a text and drops its insignificant white space; numbers, escapes and the order
// of members stay as they were given. It is stricter than RFC 8259 where two readers could
// understand two things: duplicate member names, invalid UTF-8, lone surrogates and nesting past
// [MaxDepth] are refused. [Readable] is what a write goes through: it also decodes the \u
// escapes of characters that print, so that grep finds a word whatever program wrote it; a
// text without a backslash costs nothing more. [AppendVisible] is the other way, for terminals:
// what does not show becomes an escape.
//
// [Members], [Elements] and [Unquote] walk a text that was checked before. They cannot fail, never
// panic, and end early on anything else. [AppendString] writes a string, escaping only what JSON
// demands, so that grep finds text in every script. [AppendCanonical] is for checksums.
package jsontext
