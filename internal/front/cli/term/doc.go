// Package term lays text out for a person at a terminal: its width, tables, blocks and paragraphs
// within a width, colours and the layout of times. It knows no memory and no verb, and prints
// nothing: it returns text. It touches no disk.
//
// # Width
//
// [Width] counts cells as terminals do, by visible characters: two for a wide character, a picture,
// a flag of two letters and a sequence joined by U+200D; none for marks and skin tones. Cutting
// never parts such a character.
//
// # Tables
//
// What a column is follows from its name. Times, ages, numbers and words of a fixed list are never
// shortened; keys, names and paths are shortened in the middle, for they differ at their ends;
// other texts at their end. The last column takes the rest of the line. A column more goes to
// where it completes most rows, a key counting twice; until the last column has all it needs, no
// key takes more than two fifths of the width. So one deep key does not narrow all others.
//
// Where not even the least of every column fits, each row stands on lines of its own: the key,
// below it the other fields, and below these the text.
package term
