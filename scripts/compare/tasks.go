//go:build unix

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
const storeLimit = time.Minute

func printTable(list []*tool, records int) {
	cells := []string{"task"}
	for _, t := range list {
		cells = append(cells, strings.TrimSpace(t.name+" "+t.version))
	}
	row := func() { fmt.Println("| " + strings.Join(cells, " | ") + " |") }
	row()
	fmt.Println(strings.Repeat("|---", len(cells)) + "|")
	for _, task := range []struct {
		name string
		do   func(*tool) (string, error)
	}{
		{"1 store a fact", func(t *tool) (string, error) {
			_, err := t.do(t.small, t.store, billing, "")
			return "yes", err
		}},
		{"2 found by other words", func(t *tool) (string, error) {
			return t.finds(t.small, "billing release schedule", "MARK71", "yes", "no")
		}},
		{"3 kept to its project", func(t *tool) (string, error) {
			p := t.small
			if err := t.project(&p, "other"); err != nil {
				return "", err
			}
			return t.finds(p, "billing", "MARK71", "no: it comes", "yes")
		}},
		{"4 corrected: only the new one", correction},
		{"5 deleted from all files", deletion},
		{"6 lost of those acknowledged, kill -9", kills},
		{"7 secret refused", secret},
		{fmt.Sprintf("8 %d records: time, disk", records), func(t *tool) (string, error) {
			return many(t, records)
		}},
		{"9 tokens of a search, top 5", func(t *tool) (string, error) {
			out, err := t.do(t.big, t.search, fact{text: word(1_000_007)}, "")
			return fmt.Sprintf("%d", (len(out)+3)/4), err
		}},
	} {
		cells = []string{task.name}
		for _, t := range list {
			answer, err := task.do(t)
			cells = append(cells, cell(answer, err))
		}
		row()
	}
	cells = append([]string{"10 search, store: a process each"}, speed(list, false)...)
	row()
	cells = append([]string{"10b the same, server running"}, speed(list, true)...)
	row()
}

// cell is the text in the table: an error in place of the answer, if there is one.
func cell(answer string, err error) string {
	if err == nil {
		return answer
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.ReplaceAll(fmt.Sprintf("%.80s", text), "|", "/")
}

// word returns a word that no other number has. Near numbers have words that are not alike, since
// some tools also find words that are spelled nearly alike.
func word(i int) string {
	b := []byte("q")
	i = i * 7_368_787 % (65 * 65 * 65 * 65)
	for range 4 {
		b = append(b, "bdfgklmnprtvz"[i%13], "aeiou"[i/13%5])
		i /= 65
	}
	return string(b)
}

// record is a fact of 70 to 100 characters with a word of its own, and one of 150 common words.
func record(i int) fact {
	return fact{key: word(i), text: fmt.Sprintf("The %s service owns the queue %s, "+
		"listens on port %d, and restarts nightly.", word(1_000_000+i%150), word(i), 2000+i%7000)}
}

// The mark stands near the start, since some tools print no more of a text.
var billing = fact{key: "billing",
	text: "The billing service, MARK71, is deployed on Tuesday mornings from the stable branch."}

// finds says whether the answer to a query has a text.
func (t *tool) finds(p place, query, text, yes, no string) (string, error) {
	out, err := t.do(p, t.search, fact{text: query}, "")
	if strings.Contains(out, text) {
		return yes, err
	}
	return no, err
}

func correction(t *tool) (string, error) {
	f := fact{billing.key, strings.NewReplacer("Tues", "Fri", "K71", "K72").Replace(billing.text),
		billing.text}
	if _, err := t.do(t.small, t.correct, f, ""); err != nil {
		return "", err
	}
	is, err := t.finds(t.small, "billing", "MARK72", "", "no: not found")
	if is != "" || err != nil {
		return is, err
	}
	return t.finds(t.small, "billing", "MARK71", "no: the old one too", "yes")
}

func deletion(t *tool) (string, error) {
	if before := holding(t.small.home, "MARK7"); len(before) == 0 {
		return "n/a (not greppable)", nil
	}
	_, err := t.do(t.small, t.remove, billing, "")
	if left := holding(t.small.home, "MARK7"); len(left) > 0 {
		return fmt.Sprintf("no: left in %d (%s)", len(left), strings.Join(left, ", ")), err
	}
	return "yes", err
}

// holding lists the files that have a text.
func holding(dir, text string) (names []string) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte(text)) {
			names = append(names, filepath.Base(name))
		}
		return nil
	})
	return names
}

// kills stores 50 facts, and kills each process at a random time around the end of a store.
func kills(t *tool) (string, error) {
	var usual time.Duration
	p := t.small
	p.took = &usual
	if _, err := t.do(p, t.store, record(500_000), ""); err != nil {
		return "", err
	}
	p.took, p.hard = nil, true
	lost, stored := 0, []fact{}
	for i := range 50 {
		f := record(500_001 + i)
		p.limit = time.Duration((0.5 + rand.Float64()) * float64(usual))
		if _, err := t.do(p, t.store, f, ""); err == nil {
			stored = append(stored, f)
		}
	}
	for _, f := range stored {
		is, err := t.finds(t.small, f.key, f.key+",", "", "lost")
		if err != nil {
			return "", fmt.Errorf("broken by the kills: %w", err)
		}
		lost += len(is) / len("lost")
	}
	return fmt.Sprintf("%d of %d", lost, len(stored)), nil
}

func secret(t *tool) (string, error) {
	token := "ghp_" + "x7Qm2RkT9vLw4NcY8sHd3JfB6gPz1AeU5oKi"
	p := t.big // the kills may have broken the other
	_, err := t.do(p, t.store, fact{key: "token",
		text: "The token of the bot of the package registry is " + token}, "")
	if len(holding(p.home, token)) > 0 {
		return "no: stored", nil
	}
	if err == nil {
		return "no: stored, but not in clear", nil
	}
	return "yes", nil
}

// many stores n records, and looks for ten of them.
func many(t *tool, n int) (text string, err error) {
	facts := make([]fact, n)
	for i := range facts {
		facts[i] = record(i)
	}
	start := time.Now()
	if t.stored, err = t.storeMany(t.big, facts, start.Add(storeLimit)); err != nil {
		return "", err
	}
	took, missing := time.Since(start), 0
	for i := range 10 {
		key := facts[i*t.stored/10].key
		if is, err := t.finds(t.big, key, key+",", "", "missing"); is != "" || err != nil {
			missing++
		}
	}
	if t.stored < n {
		text = fmt.Sprintf("stopped at %d: ", t.stored)
	}
	text += fmt.Sprintf("%.1f s, %.1f MB", took.Seconds(), float64(usage(t.big.home))/1e6)
	if missing > 0 {
		text += fmt.Sprintf(", %d of 10 not found", missing)
	}
	return text, nil
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

// speed measures by turns, so that other work of the machine hits all alike.
func speed(list []*tool, warm bool) []string {
	const runs = 30
	var times [2][][]time.Duration
	times[0], times[1] = make([][]time.Duration, len(list)), make([][]time.Duration, len(list))
	places, errs := make([]place, len(list)), make([]error, len(list))
	for i, t := range list {
		if places[i] = t.big; warm {
			if places[i].open, errs[i] = t.serve(t.big); errs[i] == nil {
				defer places[i].open.end(false)
			}
		}
	}
	next := map[bool]int{false: 2_000_000, true: 3_000_000}[warm] // new keys each time
	for n := range runs {
		for i, t := range list {
			next++
			for k, command := range []string{t.search, t.store} {
				f := record(next)
				if k == 0 {
					f = fact{text: word(n * t.stored / runs)}
				}
				var took time.Duration
				if places[i].took = &took; errs[i] == nil {
					_, errs[i] = t.do(places[i], command, f, "")
					times[k][i] = append(times[k][i], took)
				}
			}
		}
	}
	cells := make([]string, len(list))
	for i := range list {
		median := func(times []time.Duration) float64 {
			slices.Sort(times)
			return float64(times[len(times)/2].Microseconds()) / 1000
		}
		if cells[i] = cell("", errs[i]); errs[i] == nil {
			cells[i] = fmt.Sprintf("%.1f ms, %.1f ms", median(times[0][i]), median(times[1][i]))
		}
	}
	return cells
}
