package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

// Prose is what searches are measured on: words of a made-up vocabulary, each as frequent as the words of a language are (Zipf), so that one query has
// few answers and another one has many.

const (
	proseWords = 40
	vocabulary = 30_000
)

// word is the n-th most frequent word.
func word(n int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var out strings.Builder
	for n += 70; n > 0; n /= 70 {
		out.WriteByte(consonants[n%70%14])
		out.WriteByte(vowels[n%70/14])
	}
	return out.String()
}

// Words with few and with many answers: about 1 in 5,000 records has the first, and 6 in 7 the second.
var (
	rareWord   = word(20_000)
	commonWord = word(0)
)

// proseAt is the text of record i.
func proseAt(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 0x7072))
	var out strings.Builder
	for range proseWords {
		// Of Zipf's law with exponent 1 the inverse is an exponential.
		out.WriteString(word(int(math.Exp(r.Float64()*math.Log(vocabulary))) - 1))
		out.WriteByte(' ')
	}
	return strings.TrimSpace(out.String())
}

// prose writes a batch of records from..to for mem set.
func prose(from, to int) func(io.Writer) {
	return func(w io.Writer) {
		for i := from; i < to; i++ {
			key, kind := keyAt(i)
			fmt.Fprintf(w, "%s\n", encode(map[string]any{"key": key, "content": map[string]string{"type": kind, "text": proseAt(i)}, "source": "bench"}))
		}
	}
}

// proseSQL writes the same records as a script that makes a full-text table of them.
func proseSQL(n int) func(io.Writer) {
	return func(w io.Writer) {
		fmt.Fprintln(w, "PRAGMA journal_mode=WAL; CREATE VIRTUAL TABLE memory USING fts5(key UNINDEXED, type UNINDEXED, text, tokenize='porter unicode61'); BEGIN;")
		for i := range n {
			key, kind := keyAt(i)
			fmt.Fprintf(w, "INSERT INTO memory VALUES('%s','%s','%s');\n", key, kind, proseAt(i))
		}
		fmt.Fprintln(w, "COMMIT; INSERT INTO memory(memory) VALUES('optimize');")
	}
}

// file writes what fill writes into a file of the lab.
func (l *lab) file(name string, fill func(io.Writer)) (string, error) {
	path := l.path(name)
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	out := bufio.NewWriter(f)
	fill(out)
	if err := out.Flush(); err != nil {
		return "", err
	}
	return path, f.Close()
}
