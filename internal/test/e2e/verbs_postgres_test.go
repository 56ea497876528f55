//go:build linux

package e2e

// Every verb is shown by a console session that runs on files and on PostgreSQL.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notShown are the verbs that no session shows on PostgreSQL, and why.
var notShown = map[string]string{
	"help":         "it needs no memory",
	"page":         "it starts a server; cmd/memd tests it",
	"serve":        "it is a server; TestServeDatabase of cmd/memd",
	"space":        "only a database has spaces; every session here is in one that it made",
	"space add":    "as space",
	"space ls":     "as space",
	"depot":        "it serves a folder",
	"backup":       "as sync",
	"restore":      "as sync",
	"sync":         "it exchanges files; a database is shared already",
	"sync accept":  "as sync",
	"sync init":    "as sync",
	"sync join":    "as sync",
	"sync list":    "as sync",
	"sync remove":  "as sync",
	"token":        "it is for a whole database; TestTokensOfDatabase of cmd/memd",
	"off":          "it rules hooks on this machine, whatever the store",
	"token add":    "as token",
	"token list":   "as token",
	"token login":  "as token",
	"token logout": "as token",
	"token revoke": "as token",
}

// leastVerbs is how many verbs there are at least, those below others too.
const leastVerbs = 70

func TestVerbsOnPostgres(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	shown := typedOnPostgres(t)
	verbs := 0
	for _, verb := range verbsBelow(t, bin) {
		for _, name := range append([]string{verb}, verbsBelow(t, bin, verb)...) {
			if name != verb {
				name = verb + " " + name
			}
			verbs++
			call := regexp.MustCompile(`\b(mem|run|why)( --?[a-z-]+([ =]\S+)?)* ` + name + `(?:[^\w-]|$)`)
			why, left := notShown[name]
			if is := call.MatchString(shown); is && left {
				t.Errorf("mem %s is shown on PostgreSQL, and left out: %s", name, why)
			} else if !is && !left {
				t.Errorf("mem %s: no session of testdata/golden shows it on PostgreSQL", name)
			}
		}
	}
	if verbs < leastVerbs {
		t.Errorf("%d verbs, want at least %d", verbs, leastVerbs)
	}
}

// typedOnPostgres returns all that is typed in the sessions while the store is on PostgreSQL.
func typedOnPostgres(t *testing.T) string {
	t.Helper()
	scripts, err := filepath.Glob("testdata/golden/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if on, err := onPostgres(string(text)); !on || err != nil {
			continue
		}
		there, _, _ := strings.Cut(string(withoutLooks(text)), "unset MEM_ROOT")
		all.WriteString(there + "\n")
	}
	return all.String()
}

var verbLine = regexp.MustCompile(`^  ([a-z][a-z-]*) +\S`)

// verbGroups are the pages of help besides the first one.
var verbGroups = []string{"records", "tidy", "move", "agents", "server"}

// verbsBelow returns the verbs that the pages of the help of mem list, or those of a verb.
func verbsBelow(t *testing.T, bin string, args ...string) (verbs []string) {
	t.Helper()
	if len(args) == 1 && args[0] == "completion" {
		return nil // shells
	}
	if len(args) > 0 {
		return verbsListed(t, bin, false, append(args, "--help")...)
	}
	verbs = verbsListed(t, bin, false, "help")
	for _, group := range verbGroups {
		verbs = append(verbs, verbsListed(t, bin, true, "help", group)...)
	}
	return verbs
}

// verbsListed returns the verbs that a page of help lists: below a title, or from its first line.
func verbsListed(t *testing.T, bin string, listed bool, args ...string) (verbs []string) {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, "mem"), args...).Output()
	if err != nil {
		t.Fatalf("mem %v: %v", args, err)
	}
	for line := range strings.Lines(string(out)) {
		switch strings.TrimSpace(line) {
		case "Verbs:", "Available Commands:":
			listed = true
		case "":
			listed = false
		}
		if m := verbLine.FindStringSubmatch(line); m != nil && listed {
			verbs = append(verbs, m[1])
		}
	}
	return verbs
}
