//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
)

// conversation is the one that the queries below are about.
const conversation = "s042"

// conversations returns the root of a compacted store of n records of 2 KB, of which every so many
// are of the one conversation.
func conversations(b *testing.B, n, every int) string {
	b.Helper()
	root := storetest.Dir(b) + "/memory"
	s, err := mem.Open(root, mem.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	kinds := []string{"finding", "decision", "conversation", "preference"}
	for from := 0; from < n; from += 10_000 {
		var lines strings.Builder
		for i := from; i < from+10_000; i++ {
			session := fmt.Sprintf("s%03d", 100+i%97)
			if i%every == 0 {
				session = conversation
			}
			fmt.Fprintf(&lines, `{"key":"/session/%s/mem_%026d","source":{"kind":"user"},`+
				`"content":{"type":%q,"importance":%.4f,"tags":["security.area%d","run%d"],`+
				`"created_at":%d,"text":"%s"}}`+"\n", session, i, kinds[i%4], float64(i%9973)/9973,
				i/7%20, i%60, 1_770_000_000+i*37, filler(i))
		}
		_, err := s.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()), mem.BatchOptions{})
		if err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
		b.Fatal(err)
	}
	return root
}

// filler returns some 1,900 bytes of text.
func filler(i int) string {
	var text strings.Builder
	for text.Len() < 1900 {
		fmt.Fprintf(&text, "module%d keeps the offsets of topic%d in bytes ", i%500, i%7000)
		i = i*31 + 7
	}
	return text.String()
}

// BenchmarkConditions asks for what meets conditions alone in a conversation of 5,000 among 100,000
// records of 2 KB, a process for each query and ten at once.
func BenchmarkConditions(b *testing.B) {
	bin := buildMem(b)
	root := conversations(b, 100_000, 20)
	for _, c := range []struct{ name, args string }{
		{"conversation", "--type decision,finding --tag security --tag !run7 --min-importance 0.2 " +
			"--since 2026-02-03 --until 2026-03-10 --sort importance --session " + conversation},
		{"conversation, all of it", "--limit 5000 --session " + conversation},
		{"everywhere", "--type decision --tag security.area3 --since 2026-02-20"},
		{"everywhere by importance", "--min-importance 0.5 --sort importance"},
	} {
		args := append([]string{"search", "--root", root}, strings.Fields(c.args)...)
		for _, at := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s, %d at once", c.name, at), func(b *testing.B) {
				times := runMany(b, bin+"/mem", args, at)
				slices.Sort(times)
				b.ReportMetric(ms(times[len(times)/2]), "ms-p50")
				b.ReportMetric(ms(times[len(times)*95/100]), "ms-p95")
			})
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// runMany runs a command in b.N rounds of so many processes at once, and returns how long each
// took.
func runMany(b *testing.B, program string, args []string, atOnce int) (times []time.Duration) {
	var mu sync.Mutex
	for b.Loop() {
		var round sync.WaitGroup
		for range atOnce {
			round.Go(func() {
				began := time.Now()
				out, err := exec.Command(program, args...).CombinedOutput()
				took := time.Since(began)
				mu.Lock()
				defer mu.Unlock()
				if times = append(times, took); err != nil {
					b.Errorf("%v: %s", err, out)
				}
			})
		}
		round.Wait()
	}
	return times
}
