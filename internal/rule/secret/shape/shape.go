package shape

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// Maker makes texts that patterns match.
type Maker struct{ Rand *rand.Rand }

// New returns a maker whose texts are the same for the same seed.
func New(seed uint64) Maker { return Maker{rand.New(rand.NewPCG(seed, 2))} }

// Match returns a text for a pattern; conditions on what stands around it, such as \b, are left to
// the caller.
func (g Maker) Match(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	g.write(&b, re)
	return b.String()
}

func (g Maker) write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(g.char(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('.') // mostly a dot that nobody escaped
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			g.write(b, sub)
		}
	case syntax.OpAlternate:
		g.write(b, re.Sub[g.Rand.IntN(len(re.Sub))])
	case syntax.OpStar:
		g.repeat(b, re.Sub[0], 0, 4)
	case syntax.OpPlus:
		g.repeat(b, re.Sub[0], 1, 12)
	case syntax.OpQuest:
		g.repeat(b, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 || most > re.Min+8 {
			most = re.Min + 8
		}
		g.repeat(b, re.Sub[0], re.Min, most)
	}
}

func (g Maker) repeat(b *strings.Builder, re *syntax.Regexp, least, most int) {
	for range least + g.Rand.IntN(most-least+1) {
		g.write(b, re)
	}
}

// char takes a printable ASCII character of a class, if there is one.
func (g Maker) char(ranges []rune) rune {
	var can []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], ' '); r <= min(ranges[i+1], '~'); r++ {
			can = append(can, r)
		}
	}
	if len(can) == 0 {
		return ranges[0]
	}
	return can[g.Rand.IntN(len(can))]
}
