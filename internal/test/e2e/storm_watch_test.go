//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/set-memory/mem/keypath"
)

// tally is what writers know of their keys. Each key has one writer, whose contents count up.
type tally struct {
	mu      sync.Mutex
	acked   map[string]int          // what was acknowledged last
	pending map[string]map[int]bool // what was begun since, and may have been stored
	read    int                     // contents that were looked at
}

func newTally() *tally {
	return &tally{acked: map[string]int{}, pending: map[string]map[int]bool{}}
}

// contentOf is the n-th content of a key, which every verb shows as it is.
func contentOf(key string, n int) string { return fmt.Sprintf(`{"text":"storm %s v%d"}`, key, n) }

var shownContent = regexp.MustCompile(`storm (/w\d+/k\d+) v(\d+)`)

func (y *tally) begin(key string, n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.pending[key] == nil {
		y.pending[key] = map[int]bool{}
	}
	y.pending[key][n] = true
}

func (y *tally) acknowledge(key string, n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.acked[key] = n
	delete(y.pending, key)
}

// known returns what has been acknowledged by now.
func (y *tally) known() map[string]int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return maps.Clone(y.acked)
}

// newer checks what a reader showed against what was acknowledged before it began: nothing of that
// is missing or older.
func (y *tally) newer(t testing.TB, what string, known map[string]int, out string) {
	t.Helper()
	shown := map[string]int{}
	for _, m := range shownContent.FindAllStringSubmatch(out, -1) {
		shown[m[1]], _ = strconv.Atoi(m[2])
	}
	for key, n := range known {
		if got, found := shown[key]; !found || got < n {
			t.Errorf("%s: %s was acknowledged with v%d and is v%d (there: %v)", what, key, n, got,
				found)
		}
	}
	y.mu.Lock()
	y.read += len(known)
	y.mu.Unlock()
}

// settled checks, when nobody writes any more, that a key holds what was acknowledged last, or what
// was in flight when its writer was killed.
func (y *tally) settled(t testing.TB, get func(key string) string) {
	t.Helper()
	keys := maps.Clone(y.acked)
	for key := range y.pending {
		keys[key] = y.acked[key]
	}
	for key, n := range keys {
		allowed := []string{contentOf(key, n)}
		if n == 0 {
			allowed[0] = "(none)"
		}
		for n := range y.pending[key] {
			allowed = append(allowed, contentOf(key, n))
		}
		if got := get(key); !slices.Contains(allowed, got) {
			t.Errorf("%s is %s, want one of %s", key, got, allowed)
		}
	}
}

// watch reads with every verb, and without one: what was acknowledged before a read began is in it,
// or what is newer.
func (s *storm) watch(stop chan struct{}) {
	verbs := [][]string{{"ls"}, {"search", "storm", "--limit", "100000"},
		{"read", "--token-limit", "100000"}, {"query", ".content.text"}, {"ls", "--json"}, nil}
	for i := 0; !over(stop); i++ {
		known := s.known()
		verb := verbs[i%len(verbs)]
		for key, n := range known {
			if verb == nil {
				verb = []string{"get", key}
				known = map[string]int{key: n}
			}
		}
		if verb == nil {
			continue
		}
		out, err := s.mem(verb...).CombinedOutput()
		if err != nil {
			s.t.Errorf("%v: %v: %s", verb, err, out)
			return
		}
		s.newer(s.t, fmt.Sprint(verb), known, string(out))
	}
}

// cat reads the files of index/ as people do.
func (s *storm) cat(stop chan struct{}) {
	for !over(stop) {
		for key, n := range s.known() {
			path := filepath.Join(s.root, "index", string(keypath.MustParse(key).Path()))
			text, err := os.ReadFile(path)
			if err != nil {
				s.t.Error(err)
			}
			s.newer(s.t, "cat", map[string]int{key: n}, string(text))
		}
	}
}
