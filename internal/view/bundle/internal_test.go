package bundle

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/ledger"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// Texts are the same by NFKC, without case and with blanks collapsed, whichever way they are read.
func TestSumOf(t *testing.T) {
	for _, same := range [][]string{
		{"retry the upload", " Retry  the\tUPLOAD\n", "retry\u00a0the upload"},
		{"ﬁle", "FILE", "ｆｉｌｅ"},
		{"Straße 1", "STRAßE  1"},
		{"牙科 复诊", "牙科\u3000复诊"},
	} {
		for _, text := range same[1:] {
			if sumOf(text) != sumOf(same[0]) {
				t.Errorf("%q and %q are not the same", text, same[0])
			}
		}
	}
	if sumOf("ab") == sumOf("a b") || sumOf("é") == sumOf("e") {
		t.Error("different texts are the same")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aAbZ \t\n\v-1"))).Draw(t, "text")
		if sumOf(text) != sumOfRunes(text) || sumOf(text) != sumOf(strings.ToUpper(text)) {
			t.Fatalf("%q", text)
		}
		if other := norm.NFD.String(text + "é"); sumOf(other) != sumOf(text+"é") {
			t.Fatalf("%q", other)
		}
	})
}

// The chunk that has what is looked for has the greatest share.
func TestSharesOf(t *testing.T) {
	parts := []ledger.Chunk{{Text: "The weather was fine."},
		{Text: "Deploying went well; happy users."},
		{Text: "Deploys of late: none. 明天牙科复诊"}}
	for _, c := range []struct {
		terms string
		want  [3]bool
	}{
		{"deploi", [3]bool{false, true, true}}, {"deploi happi", [3]bool{false, true, true}},
		{"weather", [3]bool{true, false, false}}, {"ate", [3]bool{true, false, false}}, // nowhere
		{"科复", [3]bool{false, false, true}}, {"", [3]bool{true, false, false}},
	} {
		shares := sharesOf(parts, strings.Fields(c.terms))
		for i, share := range shares {
			if share > 0 != c.want[i] || share > 1 {
				t.Errorf("%q: %v", c.terms, shares)
			}
		}
	}
	if s := sharesOf(parts, []string{"deploi", "happi"}); s[1] != 1 || s[2] >= 1 {
		t.Errorf("%v", s)
	}
	if s := sharesOf(parts[:1], []string{"none"}); s[0] != 1 {
		t.Errorf("%v", s)
	}
}
