package readout

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTokensOfRepeats compares the estimate of patterns that repeat: what the longest tokens are
// ahead of a tokenizer adds up there.
func TestTokensOfRepeats(t *testing.T) {
	patterns := []string{"ab", "\t ", " \t", "`", `"`, "-", "=", "_-*", "{}%/", "/\\{}", "[]()",
		"()$", "?<>", `\';-`, "',;", "@()#'s", "ab<>ab", "ha", "na", "lol", "aab", "0x", "%20"}
	rng := rand.New(rand.NewPCG(1, 2))
	const signs = "abehnost-_=*.,:;'\"`!?/\\|<>(){}[]$%&#@+~^ \t"
	for range 1500 {
		var p strings.Builder
		for range 1 + rng.IntN(5) {
			p.WriteByte(signs[rng.IntN(len(signs))])
		}
		patterns = append(patterns, p.String())
	}
	over := 0
	for _, p := range patterns {
		for _, times := range []int{10, 50, 400} {
			text := "x " + strings.Repeat(p, times)
			n := realTokens(text)
			if got, worse := Tokens(text), max(n[0], n[1]); got < worse {
				over++
				t.Logf("%.20q %d times: %d < %d", p, times, got, worse)
			}
		}
	}
	if over > 0 {
		t.Errorf("%d of %d cost more than estimated", over, 3*len(patterns))
	}
}
