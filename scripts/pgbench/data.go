package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

const (
	textWords = 40
	sessions  = 100
	others    = 100 // decisions, tasks and rules each
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
		said[at] = harness.Word(harness.Zipf(r))
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

// writeEvents writes all events, a line each, as `mem event -` takes them.
func writeEvents(w io.Writer, n int) {
	out := bufio.NewWriter(w)
	for i := range n {
		fmt.Fprintf(out, "{%s}\n", eventMembers(i, n))
	}
	harness.Check(out.Flush())
}

func eventMembers(i, n int) string {
	return fmt.Sprintf(`"session_id":"s%d","kind":"message","actor":{"type":"human","id":"user"},`+
		`"content":{"text":%q}`, i%sessions, textOf(i, n))
}

// writeOthers writes what a bundle has besides events, as `mem set -` takes it.
func writeOthers(w io.Writer, n int) {
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
	harness.Check(out.Flush())
}

// prompt is what somebody might ask: words of all kinds.
func prompt() string { return harness.Word(300) + " " + harness.Word(2000) + " " + wordThousand }
