package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/set-memory/mem/scripts/harness"
)

// undisturbed: with a store in some state, the client shows what it shows with a sound one. The
// request is for more checks.
func (l *lab) undisturbed(change func()) *request {
	_, sound := l.run(l.client.ask(question, false))
	change()
	requests, shown := l.run(l.client.ask(question, false))
	r := last(requests)
	if more := added(shown, sound); len(more) > 0 {
		harness.Failf("the screen shows what it does not with a sound store: %q", more)
	}
	l.answered(shown)
	return r
}

var varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+`)

// added returns the lines of a screen that another one has not, leaving out identifiers, times,
// counts, and what Gemini says of its own start when it feels like it.
func added(shown, other screen) (more []string) {
	have := lines(other)
	for _, line := range lines(shown) {
		if !slices.Contains(have, line) && !strings.HasPrefix(line, "[STARTUP]") {
			more = append(more, line)
		}
	}
	return more
}

func lines(s screen) []string {
	return strings.Split(varying.ReplaceAllString(s.out+"\n"+s.err, "#"), "\n")
}

// missing: without a store the model is told nothing, and none is made.
func missing(l *lab) {
	r := l.undisturbed(func() { harness.Check(os.Rename(l.root, l.root+"-away")) })
	if _, err := os.Stat(l.root); !errors.Is(err, os.ErrNotExist) {
		harness.Failf("the hook made a store: %v", err)
	}
	// The sound store was told from, which is recorded in the person's own; nothing else is there.
	log := filepath.Join(l.home, ".local", "share", "mem", "log.jsonl")
	if _, err := os.Stat(log); !errors.Is(err, os.ErrNotExist) {
		harness.Failf("the hook wrote to the person's store: %v", err)
	}
	l.brings(r, important, 0)
}

// locked: while somebody else holds the store's lock, the model is told as ever.
func locked(l *lab) {
	lock := flock.New(filepath.Join(l.root, "lock"))
	defer lock.Unlock()
	r := l.undisturbed(func() { harness.Check(lock.Lock()) })
	l.brings(r, important, 1)
	l.brings(r, asked, 1)
}

// readOnly: from a store that cannot be written the model is told as ever.
func readOnly(l *lab) {
	r := l.undisturbed(l.makeReadOnly)
	l.brings(r, important, 1)
	l.brings(r, asked, 1)
}

// makeReadOnly takes the right to write away. Nothing but a mount takes it from root, and that one
// is made for the client alone.
func (l *lab) makeReadOnly() {
	if os.Geteuid() == 0 {
		mount := `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`
		l.within = []string{"/usr/bin/unshare", "--mount", "/bin/sh", "-c", mount, l.root}
		return
	}
	harness.Check(filepath.WalkDir(l.root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o500)
		}
		return os.Chmod(path, 0o400)
	}))
}
