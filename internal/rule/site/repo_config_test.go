package site_test

import (
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// configs are texts, and whether git reads them.
var configs = map[string]bool{
	"": true,
	"[core]\n\tbare = true\n\tworktree = /x/y\n":              true,
	"[CORE]\n\tBare\n[x]y=z":                                  true,
	"\ufeff[core] bare = no ; so\n# worktree = a\n":           true,
	"[core]\r\nworktree = a b  \r\nbare=1\r\n":                true,
	"[core]\nworktree = \"a # b \" c # d\n":                   true,
	"[core]\nworktree = a\\\n  b\\tc\\\\\\\"\n":               true,
	"[core]\nworktree = a  \"\"\n":                            true,
	"[core]\nworktree =\nbare":                                true,
	"[core]\nworktree = one\nworktree = two\n":                true,
	"[core \"x\"]\nworktree = no\n[core]\nworktree = yes\n":   true,
	"[core \"x]\\\"\\\\\"]\nworktree = no\n":                  true,
	"[core.x]\nworktree = no\n":                               true,
	"[Remote.Origin]\nurl = u\n[remote.x]\nurl = no\n":        true,
	"[Remote \"origin\"]\nurl = u\n[remote \"Origin\"]\nurl":  true,
	"[branch \"a\"]\n\tremote = o\n[core]worktree=1":          true,
	"[a]b = \xff\n[extensions]\nobjectFormat = sha256\n":      true,
	"[core]\nworktree = \"a\n":                                false,
	"[core]\nworktree = \"a\\\nb\"\n":                         true,
	"[core]\nworktree = \\x\n":                                false,
	"[core]\nworktree = x\\":                                  true,
	"[core\nworktree = x\n":                                   false,
	"[core \"x\nworktree = x\n":                               false,
	"[core \"x\" ]\nworktree = x\n":                           false,
	"[core\"x\"]\nworktree = x\n":                             false,
	"[co re]\nworktree = x\n":                                 false,
	"[core]\nwork tree = x\n":                                 false,
	"[core]\n1worktree = x\n":                                 false,
	"[core]\nworktree # x\n":                                  false,
	"[core]\n= x\n":                                           false,
	"[core]\nworktree = x # \"\\\nbare = \"# \" # '\n":        true,
	"[core]\n\vbare\n":                                        false,
	"[core]\nworktree = \v x\f\n":                             true,
	"[core]  \t[extensions] objectformat = sha1 [core] = x\n": true,
}

// Every text is read as git reads it, and refused where git refuses it.
func TestConfigAsGitReadsIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, fine := range configs {
		got, err := site.ParseConfig(text)
		if fine != (err == nil) || err != nil && !errors.Is(err, site.ErrConfig) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		put(t, dir+"/config", text)
		out, err := tryGit(t, dir, "config", "--file", filepath.Join(dir, "config"), "-z", "--list")
		if fine != (err == nil) {
			t.Errorf("%q: git says %q, %v", text, out, err)
		}
		if !fine {
			continue
		}
		want := map[string]string{}
		for item := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			name, value, given := strings.Cut(item, "\n")
			if !given {
				value = "true"
			}
			if strings.Count(name, ".") == 1 || strings.HasPrefix(name, "remote.origin.") {
				want[name] = value
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%q: %q, git: %q", text, got, want)
		}
	}
}
