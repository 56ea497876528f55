package readout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
)

func BenchmarkTokens(b *testing.B) {
	for _, c := range corpora() {
		b.Run(c.class, func(b *testing.B) {
			text := strings.Join(c.texts[:min(200, len(c.texts))], "\n")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Tokens(text)
			}
		})
	}
}

// BenchmarkSelector feeds a million parsed items. In order of time every one ranks above all before
// it: the worst case.
func BenchmarkSelector(b *testing.B) {
	items := make([]Item, 1_000_000)
	for i := range items {
		items[i] = note("/user/"+strconv.Itoa(i), len(items)-i, content.Fields{
			Type: "preference", Summary: "The user prefers short answers.",
			Tags: []string{"style", "language"}, Importance: 0.5,
		})
	}
	shuffled := slices.Clone(items)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(items),
		func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, order := range []struct {
		name  string
		items []Item
	}{{"any order", shuffled}, {"rising", items}} {
		for _, n := range []int{100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", order.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					fill(Query{Now: now, Limit: 2000, Tags: []string{"style"}}, order.items[:n])
				}
			})
		}
	}
}

func BenchmarkAddBelow(b *testing.B) {
	s := NewSelector(Query{Now: now, Limit: 2000, Tags: []string{"style"}})
	for i := range 1000 {
		s.Add(note("/user/"+strconv.Itoa(i), 0, content.Fields{Importance: 1}))
	}
	below := note("/user/below", 100,
		content.Fields{Type: "finding", Summary: "Too old.", Tags: []string{"language"}})
	b.ReportAllocs()
	for b.Loop() {
		s.Add(below)
	}
}

func BenchmarkShort(b *testing.B) {
	for name, text := range map[string]string{
		"summary": `{"type":"preference","summary":"The user prefers short answers and dislikes ` +
			`long preambles."}`,
		"chinese": `{"type":"preference","summary":"用户喜欢中文、偏好简洁，不喜欢冗长的开场白。"}`,
		"content": `{"type":"fact","city":"Berlin","population":3700000,"districts":["Mitte",` +
			`"Pankow"]}`,
	} {
		data, fields := []byte(text), content.Parse([]byte(text))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Short(data, fields)
			}
		})
	}
}
