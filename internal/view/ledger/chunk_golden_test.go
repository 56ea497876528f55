package ledger

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// One long text of many kinds has the chunks that it had when version 1 was made. Its cuts are not
// to be written anew: ids that are stored somewhere would name other parts of their texts. Another
// result needs another version, with files of its own.
func TestVersion1StaysAsItIs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/mixed.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/mixed.v1.cuts")
	if err != nil {
		t.Fatal(err)
	}
	chunks := checkSplit(t, string(text))
	checkGreedy(t, string(text), chunks)
	var got strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&got, "%d %d %d %.20q\n", c.From, c.To, c.Tokens, text[c.From:c.To])
	}
	if got.String() != string(want) {
		t.Errorf("version 1 now cuts the text at\n%s", &got)
	}
}
