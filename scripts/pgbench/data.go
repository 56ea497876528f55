package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
)

const (
	textWords  = 40
	vocabulary = 30_000
	sessions   = 100
	others     = 100 // decisions, tasks and rules each
)

// Words that stand in so many events, whatever else is said.
const (
	wordTen      = "quixten"   // in 10
	wordThousand = "quixmille" // in 1,000
	wordTwenty   = "quixfive"  // in 5 %
	wordMost     = "quixmost"  // in 90 %
)

// textOf returns the text of event i of n.
func textOf(i, n int) string {
	r := rand.New(rand.NewPCG(uint64(i), 0x7067))
	said := make([]string, textWords)
	for at := range said {
		said[at] = word(zipf(r))
	}
	places := r.Perm(textWords)
	put := func(yes bool, text string) {
		if yes {
			said[places[0]] = text
			places = places[1:]
		}
	}
	// The step is a prime, so each number below n is met once.
	place := i * 7919 % n
	put(place < 10, wordTen)
	put(place >= n/2 && place < n/2+1000, wordThousand)
	put(r.IntN(20) == 0, wordTwenty)
	put(r.IntN(10) != 0, wordMost)
	return strings.Join(said, " ")
}

// zipf draws words as often as a language does: of Zipf's law with exponent 1 the inverse is an
// exponential.
func zipf(r *rand.Rand) int { return int(math.Exp(r.Float64()*math.Log(vocabulary))) - 1 }

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

// writeEvents writes all events, a line each, as `mem event -` takes them.
func writeEvents(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	for i := range n {
		fmt.Fprintf(out, "{%s}\n", eventMembers(i, n))
	}
	return out.Flush()
}

func eventMembers(i, n int) string {
	return fmt.Sprintf(`"session_id":"s%d","kind":"message","actor":{"type":"human","id":"user"},`+
		`"content":{"text":%q}`, i%sessions, textOf(i, n))
}

// writeOthers writes what a bundle has besides events, as `mem set -` takes it.
func writeOthers(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	for i := range others {
		words := strings.Join(strings.Fields(textOf(i, n))[:12], " ")
		for _, of := range []struct{ key, content string }{
			{"/decision/dec_%026d", `{"type":"decision","decision":%q}`},
			{"/task/task_%026d", `{"type":"task","status":"open","title":%q}`},
			{"/rules/project/r%d", `{"text":%q}`},
		} {
			fmt.Fprintf(out, `{"key":%q,"content":%s,"source":"bench"}`+"\n",
				fmt.Sprintf(of.key, i), fmt.Sprintf(of.content, words))
		}
	}
	return out.Flush()
}

// prompt is what somebody might ask: words of all kinds.
func prompt() string { return word(300) + " " + word(2000) + " " + wordThousand }
