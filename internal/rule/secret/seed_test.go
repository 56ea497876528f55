package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// The words of a wallet are found wherever they stand in a string of a memory, and no character
// beside them: neither a name of a member nor the text around them.
func TestWalletsInMembers(t *testing.T) {
	t.Parallel()
	d := newDraw()
	const before, after = "The note of today, about art and music.", "It was there, and it left."
	for _, n := range []int{12, 15, 18, 21, 24} {
		words := strings.Join(d.wallet(n), " ")
		for _, layout := range []string{"%s", before + " %s", "%s. " + after,
			"seed=%s", "export MNEMONIC=%s", before + "\n%s\n" + after, "> (%s)"} {
			text := fmt.Sprintf(layout, words)
			for _, value := range []string{`{"type":"note","text":%s}`,
				`{"text":%s,"type":"note","tags":["art","music"]}`,
				`{"tags":["art","music"],"text":%s}`, `{"note":["one, two",%s,"art"]}`, `[%s]`} {
				value := []byte(fmt.Sprintf(value, quoted(text)))
				if Scan("content", value) == nil || ScanNote("content", value) == nil {
					t.Errorf("passes: %s", value)
				}
				clean, found := Redact("event", value)
				want := strings.Replace(string(value), words, mark(credentialMarker), 1)
				if string(clean) != want || len(found) != 1 ||
					found[0].To-found[0].From+1 != len(words) {
					t.Errorf("%s\nbecame %s\n%+v", value, clean, found)
				}
			}
		}
	}
}

// A long text loses the words of a wallet alone, also if it has only short words around them.
func TestLongTextKeepsAllButTheWallet(t *testing.T) {
	t.Parallel()
	words := strings.Join(newDraw().wallet(12), " ")
	for _, line := range []string{"the men went there and they said nothing, ",
		"some more output here\n", "- short lines, all small\n"} {
		around := strings.Repeat(line, 9000)
		clean, found := RedactText(around + "\nIt is " + words + "\nIt was.\n" + around)
		want := around + "\nIt is " + mark(credentialMarker) + "\nIt was.\n" + around
		if clean != want || len(found) != 1 {
			t.Errorf("%d bytes left of %d, %d findings", len(clean), len(want), len(found))
		}
	}
}

// A list of words in strings of their own needs a label, and ends with the list.
func TestWalletsInLists(t *testing.T) {
	t.Parallel()
	words := newDraw().wallet(12)
	list := string(jsontext.AppendString(nil, strings.Join(words, `","`)))
	list = "[" + strings.ReplaceAll(list, `\"`, `"`) + "]"
	value := []byte(`{"mnemonic":` + list + `,"note":{"type":"note","art":"music"}}`)
	clean, found := Redact("event", value)
	if found == nil || !strings.HasSuffix(string(clean), `,"note":{"type":"note","art":"music"}}`) {
		t.Errorf("%s\n%+v", clean, found)
	}
	if found := Scan("content", []byte(`{"topics":`+list+`}`)); found != nil {
		t.Errorf("refused: %+v", found)
	}
}
