package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// storeLimit is how long a tool may take for all records.
const storeLimit = 2 * time.Minute

// An entrant is a tool with its homes: one for the small tasks, one for those with many records.
type entrant struct {
	name       string
	tool       tool
	small, big place
	stored     int
}

// cell is what the table says: an error in place of the answer, if there is one.
func cell(answer string, err error) string {
	if err == nil {
		return answer
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if n, ok := err.(none); ok {
		return n.Error()
	}
	return "failed: " + strings.ReplaceAll(fmt.Sprintf("%.80s", text), "|", "/")
}

// word returns a word that no other number has.
func word(i int) string {
	var b strings.Builder
	b.WriteString("q")
	for range 4 {
		b.WriteByte("bdfgklmnprtvz"[i%13])
		i /= 13
		b.WriteByte("aeiou"[i%5])
		i /= 5
	}
	return b.String()
}

// record is a fact of 60 to 100 characters with a word of its own, and one of 150 common words.
func record(i int) fact {
	return fact{word(i), fmt.Sprintf("The %s service owns the queue %s, "+
		"listens on port %d, and restarts nightly.", word(1_000_000+i%150), word(i), 2000+i%7000)}
}

var billing = fact{"billing",
	"The billing service, MARK71, is deployed on Tuesday mornings from the stable branch."}

func storeOne(e *entrant) (string, error) {
	return "yes", e.tool.store(e.small, billing)
}

// verdict says whether an answer has a text.
func verdict(out, text, yes, no string) string {
	if strings.Contains(out, text) {
		return yes
	}
	return no
}

func otherWords(e *entrant) (string, error) {
	out, err := e.tool.search(e.small, "billing release schedule")
	return verdict(out, "MARK71", "yes", "no"), err
}

func otherProject(e *entrant) (string, error) {
	p := e.small
	if err := e.project(&p, "other"); err != nil {
		return "", err
	}
	out, err := e.tool.search(p, "billing")
	return verdict(out, "MARK71", "no: it comes", "yes"), err
}

func correction(e *entrant) (string, error) {
	changed := fact{billing.key, strings.NewReplacer("Tuesday", "Friday", "MARK71", "MARK72").
		Replace(billing.text)}
	if err := e.tool.correct(e.small, billing, changed); err != nil {
		return "", err
	}
	out, err := e.tool.search(e.small, "billing")
	if !strings.Contains(out, "MARK72") {
		return "no: not found", err
	}
	return verdict(out, "MARK71", "no: the old one too", "yes"), err
}

func deletion(e *entrant) (string, error) {
	before, err := holding(e.small.home, "MARK7")
	if err != nil || len(before) == 0 {
		return "n/a (not greppable)", err
	}
	if err := e.tool.remove(e.small, billing); err != nil {
		return "", err
	}
	left, err := holding(e.small.home, "MARK7")
	if len(left) == 0 {
		return "yes", err
	}
	return fmt.Sprintf("no: left in %d (%s)", len(left), strings.Join(left, ", ")), err
}

// holding lists the files that have a text.
func holding(dir, text string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte(text)) {
			names = append(names, filepath.Base(name))
		}
		return err
	})
	return names, err
}

// kills stores 50 facts, and kills each process at a random time around the end of a store.
func kills(e *entrant) (string, error) {
	var usual time.Duration
	p := e.small
	p.took = &usual
	if err := e.tool.store(p, record(500_000)); err != nil {
		return "", err
	}
	p.took, p.hard = nil, true
	var stored []fact
	for i := range 50 {
		f := record(500_001 + i)
		p.limit = time.Duration((0.5 + rand.Float64()) * float64(usual))
		if e.tool.store(p, f) == nil {
			stored = append(stored, f)
		}
	}
	lost := 0
	for _, f := range stored {
		out, err := e.tool.search(e.small, f.key)
		if err != nil {
			return "", err
		}
		if !strings.Contains(out, f.key) {
			lost++
		}
	}
	return fmt.Sprintf("%d of %d", lost, len(stored)), nil
}

func secret(e *entrant) (string, error) {
	token := "ghp_" + "x7Qm2RkT9vLw4NcY8sHd3JfB6gPz1AeU5oKi"
	err := e.tool.store(e.small, fact{"token",
		"The token of the release bot for the package registry is " + token})
	left, failed := holding(e.small.home, token)
	switch {
	case failed != nil:
		return "", failed
	case len(left) > 0:
		return "no: stored", nil
	case err != nil:
		return "yes", nil
	}
	return "no: stored, but not in clear", nil
}

// many stores n records, and looks for ten of them.
func many(n int) func(e *entrant) (string, error) {
	return func(e *entrant) (string, error) {
		facts := make([]fact, n)
		for i := range facts {
			facts[i] = record(i)
		}
		start := time.Now()
		var err error
		e.stored, err = e.tool.storeAll(e.big, facts, start.Add(storeLimit))
		took := time.Since(start)
		if err != nil {
			return "", err
		}
		missing := 0
		for i := range 10 {
			f := facts[i*e.stored/10]
			if out, err := e.tool.search(e.big, f.key); err != nil || !strings.Contains(out, f.key) {
				missing++
			}
		}
		text := fmt.Sprintf("%.1f s, %.1f MB", took.Seconds(), float64(usage(e.big.home))/1e6)
		if e.stored < n {
			text = fmt.Sprintf("stopped at %d: ", e.stored) + text
		}
		if missing > 0 {
			text += fmt.Sprintf(", %d of 10 not found", missing)
		}
		return text, nil
	}
}

// usage is the size on disk, in whole blocks as du counts.
func usage(dir string) (size int64) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		var stat syscall.Stat_t
		if err == nil && syscall.Lstat(name, &stat) == nil {
			size += stat.Blocks * 512
		}
		return nil
	})
	return size
}

func tokens(e *entrant) (string, error) {
	common := word(1_000_007)
	out, err := e.tool.search(e.big, common)
	return fmt.Sprintf("%d", (len(out)+3)/4), err
}

// speed measures searches and stores by turns, so that what else the machine does hits all alike.
func speed(entrants []*entrant, warm bool) []string {
	const runs = 30
	found, stored := make([][]time.Duration, len(entrants)), make([][]time.Duration, len(entrants))
	errs := make([]error, len(entrants))
	places := make([]place, len(entrants))
	for i, e := range entrants {
		if places[i] = e.big; warm {
			places[i].open, errs[i] = keep(e)
		}
	}
	for n := range runs {
		for i, e := range entrants {
			var took time.Duration
			places[i].took = &took
			if errs[i] == nil {
				_, errs[i] = e.tool.search(places[i], word(n*e.stored/runs))
				found[i] = append(found[i], took)
			}
			if errs[i] == nil {
				errs[i] = e.tool.store(places[i], record(2_000_000+n+btoi(warm)*runs))
				stored[i] = append(stored[i], took)
			}
		}
	}
	cells := make([]string, len(entrants))
	for i := range entrants {
		if places[i].open != nil {
			places[i].open.end(false)
		}
		cells[i] = cell("", errs[i])
		if errs[i] == nil {
			cells[i] = fmt.Sprintf("%s, %s", median(found[i]), median(stored[i]))
		}
	}
	return cells
}

func keep(e *entrant) (*session, error) {
	if m, ok := e.tool.(*mcpTool); ok {
		return m.serve(e.big)
	}
	return nil, none("a command")
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func median(times []time.Duration) string {
	slices.Sort(times)
	return fmt.Sprintf("%.1f ms", float64(times[len(times)/2].Microseconds())/1000)
}
