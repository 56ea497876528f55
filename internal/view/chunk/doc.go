// Package chunk derives the units in which long texts are retrieved. It owns the rules by which a
// text is cut, and their versions. It touches no disk, so a crash leaves nothing of it.
//
// Chunks are never stored: the same text and [Version] return the same chunks forever, so an id
// made of a text's id and the ordinal of a chunk stays valid. Whoever stores such an id, or an
// index by chunks, stores the version with it.
//
// # Rules of version 1
//
// A chunk costs at most [MaxTokens] by [readout.Tokens] of its own text. It begins after the white
// space behind the last one, and has as much as fits of the largest unit of which one fits whole:
//
//	paragraphs  up to a blank line, which may have spaces in it
//	lines       up to the end of a line
//	sentences   up to . ! ? … before white space, or 。！？｡, with the quotes and brackets behind
//	words       up to the end of a piece, as the estimate cuts a text
//	characters  of a piece that is longer than a chunk, like base64 or Chinese without punctuation
//
// So small paragraphs are joined until one more would not fit. Of a paragraph that is too long,
// lines are taken; what remains of it is joined with what follows. What fits into one chunk is one.
//
// Chunks come in order and do not overlap. None is empty, or begins or ends with white space, and
// no character is cut. All that is in no chunk is white space between two, or at both ends.
//
// # Versions
//
// The rules, and the estimate of tokens with its vocabulary, are what a version stands for. A
// change of either that moves a cut is a new version, and the old one stays as it is.
// testdata/mixed.txt and the cuts beside it hold that.
//
// # Limits
//
// A text has at most [MaxBytes]. Five chunks in a row cost more than MaxTokens together, and a byte
// costs at most 1.3 tokens, so there are some 1,070 at most: fewer than [MaxChunks], which three
// digits of hexadecimal count.
//
// # Cost
//
// A text that is short and fits is counted once: 300 bytes take 2 µs. 64 KiB of prose, code or JSON
// take 2 ms, one word of 64 KiB 4 ms, and of emoji, or of bytes that are no text, up to 15 ms
// (BenchmarkSplit).
package chunk
