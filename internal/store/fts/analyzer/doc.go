// Package analyzer turns the texts of a record into the terms by which package fts finds it. It
// keeps nothing on disk.
//
// Text is brought into NFKC and cut into words: letters, digits and marks of any script, with the
// connectors _ - . / : @ \ ' inside. A word with connectors is a term as a whole and in its parts,
// in two steps, so that a date inside a name is one term of them; camelCase and a change from
// letters to digits part a word too, unless it changes so often that it is a number in base 16.
// Words are lower-cased, Latin letters lose their accents, and words of plain letters are stemmed
// (Snowball English), irregular forms and abbreviations first (went, photos; config, prod, k8s); of
// words that people use for each other (cart, basket) all get the stem of the first. The English
// words of stopwords are no terms. A number loses its commas (1,000,000). A term has at most 64
// bytes.
//
// Runs of Han, kana, hangul, Thai and other scripts without spaces become their characters and
// every two that stand together.
//
// The segments of a key are words as well, but for the ids of events and artifacts: they are drawn,
// nobody says them, and of a memory of events they would be half of the dictionary.
//
// [Version] stands in the sidecar: rules that change make it stale.
package analyzer
