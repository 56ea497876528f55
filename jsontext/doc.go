// Package jsontext checks and walks JSON as text: no value is decoded that nobody asks for, and
// nothing that was spelled by a caller is spelled anew.
//
// [Compact] checks a text and drops its insignificant white space; numbers, escapes and the order
// of members stay as they were given. It is stricter than RFC 8259 where two readers could
// understand two things: duplicate member names, invalid UTF-8, lone surrogates and nesting past
// [MaxDepth] are refused (M-16).
//
// [Members], [Elements] and [Unquote] walk a text that was checked before. They cannot fail, never
// panic, and end early on anything else. [AppendString] writes a string, escaping only what JSON
// demands, so that grep finds text in every script (M-47).
package jsontext
