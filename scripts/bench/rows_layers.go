package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/scripts/harness"
)

// layerRows measures what the second layer costs: the same in a repository, with a store of its own
// beside the user's, and with one store that is named.
func layerRows(ctx context.Context, l *lab) {
	one := l.store(ctx, l.sizes.medium)
	was := os.Getenv("XDG_DATA_HOME")
	defer os.Setenv("XDG_DATA_HOME", was)
	repo := l.layers(ctx)
	var cs []contest
	for i, event := range []string{"SessionStart", "UserPromptSubmit"} {
		in := [2]string{l.path(fmt.Sprintf("in-%d.json", i)), l.path(fmt.Sprintf("out-%d.json", i))}
		for j, dir := range []string{repo, "/"} {
			text := hookEventIn(dir, event, aPrompt, "")
			harness.Check(os.WriteFile(in[j], text, 0o600))
		}
		hook := func(in string) subject {
			return always(command{argv: []string{l.mem, "hook", "claude-code"}, stdin: in})
		}
		what := "`mem hook`, " + event + ", twice " + records(l.sizes.medium)
		cs = append(cs, contest{
			what: what, mem: hook(in[0]),
			rival: "the user's layer alone", other: hook(in[1]),
		}, contest{
			what: what, mem: hook(in[0]),
			rival: "`--root`", other: always(l.memHook(one, in[1])),
		})
	}
	// Both are started by env, for the one needs another directory.
	within := func(i int, more ...string) command {
		r := recordAt(i)
		return cmd(append([]string{"/usr/bin/env", "-C", repo, l.mem, "set", "/bench/new/" + newName(i),
			r.content, "--source", r.source}, more...)...)
	}
	cs = append(cs, contest{
		what: "`mem set` in a repository", mem: func(i int) command { return within(i) },
		rival: "one store",
		other: func(i int) command { return within(i, "--root", one) },
	})
	l.contest(ctx, l.sizes.reps, cs...)
}

// layers makes a user's store and a repository with one, each of so many records, and names the
// first by the environment.
func (l *lab) layers(ctx context.Context) (repo string) {
	data := l.path("data")
	os.Setenv("XDG_DATA_HOME", data)
	repo = l.path("repository")
	git := filepath.Join(repo, ".git")
	input := l.input(0, l.sizes.medium)
	harness.Check(os.MkdirAll(filepath.Join(git, "refs"), 0o700),
		os.MkdirAll(filepath.Join(git, "objects"), 0o700),
		os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	user := filepath.Join(data, "mem")
	for _, c := range []command{
		cmd(l.mem, "import", input, "--prefix", "/user", "--root", user), l.memCompact(user),
		cmd("/usr/bin/env", "-C", repo, l.mem, "import", input),
		cmd("/usr/bin/env", "-C", repo, l.mem, "compact", "--layer", "project"),
	} {
		l.run(ctx, c)
	}
	return repo
}
