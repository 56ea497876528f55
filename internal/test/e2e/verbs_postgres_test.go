//go:build linux

package e2e

// Every verb is shown by a console session that runs on files and on PostgreSQL.

import (
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
	var shown strings.Builder
	for _, one := range sessionsOnPostgres(t) {
		shown.WriteString(one.typed() + "\n")
	}
	verbs := allVerbs(t, bin)
	for _, name := range verbs {
		why, left := notShown[name]
		if is := isTyped(shown.String(), name); is && left {
			t.Errorf("mem %s is shown on PostgreSQL, and left out: %s", name, why)
		} else if !is && !left {
			t.Errorf("mem %s: no session of testdata/golden shows it on PostgreSQL", name)
		}
	}
	if len(verbs) < leastVerbs {
		t.Errorf("%d verbs, want at least %d", len(verbs), leastVerbs)
	}
}

// isTyped reports whether a text calls a verb, as "sync join".
func isTyped(text, verb string) bool {
	return regexp.MustCompile(`\b(mem|run|why)( --?[a-z-]+([ =]\S+)?)* ` + verb + `(?:[^\w-]|$)`).
		MatchString(text)
}

// allVerbs returns the verbs of mem, with those below others.
func allVerbs(t *testing.T, bin string) (verbs []string) {
	t.Helper()
	for _, verb := range verbsBelow(t, bin) {
		verbs = append(verbs, verb)
		for _, name := range verbsBelow(t, bin, verb) {
			verbs = append(verbs, verb+" "+name)
		}
	}
	return verbs
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
