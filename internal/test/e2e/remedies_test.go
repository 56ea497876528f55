//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// patient is a store that a test damages, with what it had before.
type patient struct {
	*fixture
	env  []string
	was  map[string]string // live contents by key
	copy string            // of the whole store, from before
}

// newPatient makes a store with an archive, a state, a tail, and deletions in each.
func newPatient(t *testing.T, bin string) *patient {
	dir := storetest.Dir(t)
	p := &patient{fixture: &fixture{&storetest.Store{T: t, Root: filepath.Join(dir, "memory"), Clock: noon}},
		copy: filepath.Join(dir, "copy")}
	p.env = append(sessionEnv(bin, dir, "2026-02-23T12:00:00Z"), "MEM_ROOT="+p.Root)
	p.Open()
	p.Put("/archived", `{"text":"in the archive"}`)
	p.Put("/twice", `{"text":"first"}`)
	p.Put("/gone/archived", `{"text":"secret"}`)
	p.Remove("/gone/archived")
	p.configure(`{"rotate":{"lines":1,"bytes":1}}`)
	p.compact()
	p.configure(`{}`)
	p.Put("/state", `{"text":"in the state"}`)
	p.Put("/gone/state", `{"text":"secret"}`)
	p.Remove("/gone/state")
	p.compact()
	p.Put("/twice", `{"text":"second"}`)
	p.Put("/gone/tail", `{"text":"secret"}`)
	p.Put("/tail", `{"text":"in the tail"}`)
	p.Remove("/gone/tail")
	p.Put("/last", `{"text":"the last one"}`)
	p.was = p.All()
	p.Close()
	p.Must(exec.Command("cp", "-a", p.Root, p.copy).Run())
	return p
}

func (p *patient) compact() {
	p.T.Helper()
	_, err := p.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	p.Must(err)
}

func (p *patient) file(name string) string { return filepath.Join(p.Root, filepath.FromSlash(name)) }

func (p *patient) edit(name string, fn func([]byte) []byte) {
	p.T.Helper()
	text, err := os.ReadFile(p.file(name))
	p.Must(err)
	file, err := os.OpenFile(p.file(name), os.O_WRONLY|os.O_TRUNC, 0)
	p.Must(err)
	_, err = file.Write(fn(text))
	p.Must(err)
	p.Must(file.Close())
}

func (p *patient) archive() string {
	p.T.Helper()
	names, err := filepath.Glob(p.file("archive/*"))
	if p.Must(err); len(names) != 1 {
		p.T.Fatalf("archives: %v", names)
	}
	return "archive/" + filepath.Base(names[0])
}

func indexFile(key string) string { return "index/" + string(keypath.MustParse(key).Path()) }

// sh runs a command, and returns what it prints and its exit code.
func (p *patient) sh(command string) (out string, code int) {
	cmd := exec.Command("bash", "-c", command)
	cmd.Env, cmd.Dir = p.env, filepath.Dir(p.Root)
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}

// Each remedy that doctor and fsck print for a damage works as it is printed: it exits with 0, or
// with 1 where something lasts, as fsck says then too. Every memory of which the store had a sound
// line is live in the end, and nothing that was deleted, unless fsck has named it.
func TestEveryRemedyWorks(t *testing.T) {
	bin := buildMem(t)
	draws := testkit.Extent[uint64](8, 8, 400)
	for n := range draws {
		ills[fmt.Sprint("drawn ", n)] = drawn(n)
	}
	for name, damage := range ills {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t, bin)
			damage(p)
			said, remedies := p.examine()
			if len(remedies) == 0 && !slices.Contains(harmless, name) && !strings.HasPrefix(name, "drawn") {
				t.Errorf("neither doctor nor fsck says anything")
			}
			for _, remedy := range remedies {
				p := newPatient(t, bin)
				damage(p)
				p.cure(said, remedy)
			}
		})
	}
}

// The files that the documents allow to be deleted while fsck finds nothing hold nothing else: they
// are the same in both documents, and without any or all of them the store has what it had.
func TestDerivedFilesMayBeDeletedWhileAllIsWell(t *testing.T) {
	bin, allowed := buildMem(t), map[string][]string{}
	for _, doc := range []string{"docs/store.md", "readme_root.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \|.*\| (while .mem fsck. finds nothing|yes)\b`).
			FindAllStringSubmatch(string(text), -1) {
			for name := range strings.SplitSeq(strings.ReplaceAll(row[1], "`", ""), ", ") {
				if strings.HasPrefix(row[2], "while") || name == "cache/" {
					allowed[doc] = append(allowed[doc], name)
				}
			}
		}
	}
	names := allowed["docs/store.md"]
	if !slices.Equal(names, allowed["readme_root.md"]) || len(names) != 5 {
		t.Fatalf("allowed: %v", allowed)
	}
	for which := range 1 << len(names) {
		p := newPatient(t, bin)
		p.Open()
		was := p.history()
		if rep, err := p.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil || len(rep.Left) > 0 {
			t.Fatal(rep.Left, err)
		}
		p.Close()
		for i, name := range names {
			if which&(1<<i) != 0 {
				without(name)(p)
			}
		}
		p.Open()
		p.compare(fmt.Sprint("a reader ", which), "", p.sound(), p.All())
		p.Put("/next", "1")
		p.Remove("/next")
		p.compare(fmt.Sprint("a writer ", which), "", p.sound(), p.All())
		if now := p.history(); !strings.HasPrefix(now, was) {
			t.Errorf("%d: the history was\n%s\nand is\n%s", which, was, now)
		}
		p.compact()
		p.compare(fmt.Sprint("a compaction ", which), "", p.sound(), p.All())
		if rep, err := p.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil || len(rep.Left) > 0 {
			t.Errorf("%d: %v %v", which, rep.Left, err)
		}
		p.Close()
	}
}

// history returns archives and log.
func (p *patient) history() string {
	p.T.Helper()
	archived, err := os.ReadFile(p.file(p.archive()))
	p.Must(err)
	live, err := os.ReadFile(p.file(log.File))
	p.Must(err)
	return string(archived) + string(live)
}

// harmless are damages that need no remedy.
var harmless = []string{"no state", "no checkpoint", "log without last newline"}

// commands finds the commands in what is printed.
var commands = regexp.MustCompile(`mem (fsck --repair|fsck --adopt FILE|fsck --adopt|import \S+[^,\s]|compact)|chmod 700 \S+`)

// examine returns what doctor and fsck say, and their remedies, each once.
func (p *patient) examine() (said string, remedies []string) {
	p.T.Helper()
	out, _ := p.sh("mem doctor --json")
	var found doctor.Diagnosis
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		p.T.Fatalf("%v in %s", err, out)
	}
	var texts []string
	for _, c := range found.Findings {
		if c.Fix != "" && !slices.Contains([]string{"disk", "space"}, c.What) {
			texts = append(texts, c.Fix)
		}
	}
	said, _ = p.sh("mem fsck")
	if lines := strings.Split(strings.TrimSpace(said), "\n"); !strings.HasPrefix(lines[len(lines)-1], "ok:") {
		texts = append(texts, lines[len(lines)-1])
	}
	for _, text := range texts {
		list := commands.FindAllString(text, -1)
		if regexp.MustCompile(`restore|put (it|the file)`).MatchString(text) {
			list = append(list, "restore")
		}
		if strings.Contains(text, "mend ") {
			list = append(list, "rm "+p.file(mem.ConfigFile))
		}
		if len(list) == 0 {
			p.T.Errorf("a remedy that this test does not know: %s", text)
		}
		remedies = append(remedies, list...)
	}
	slices.Sort(remedies)
	return said, slices.Compact(remedies)
}

// cure applies a remedy, and compares.
func (p *patient) cure(said, remedy string) {
	p.T.Helper()
	sound := p.sound()
	command := strings.ReplaceAll(remedy, "FILE", p.named(said, remedy))
	switch {
	case remedy == "restore":
		command = p.restore()
	case strings.Contains(remedy, "--adopt"):
		command += " --yes" // as a person answers the question
	}
	out, code := p.sh(command)
	if remedy == "restore" || strings.HasPrefix(remedy, "mem import") {
		out, code = p.sh("rm -f " + p.file("log.sync-*") + "; mem fsck --repair")
	}
	p.Clock = noon.AddDate(0, 0, 1) // as for the commands
	p.Open()
	defer p.Close()
	rep, err := p.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	p.Must(err)
	lasts := len(rep.Left) > 0 && fsck.Repairable(rep.Left) == 0
	if code > 1 || code == 1 && !lasts && !strings.Contains(out, "cannot be adopted") {
		p.T.Errorf("%s: exit %d: %s", remedy, code, out)
	}
	if len(rep.Left) > 0 && !lasts && strings.Contains(remedy, "fsck --repair") {
		p.T.Errorf("%s: left: %v", remedy, rep.Left)
	}
	p.compare(remedy, said, sound, p.All())
}

// named returns the file that a finding names: a copy of the log, or a file of index/.
func (p *patient) named(said, remedy string) string {
	pattern := `(?m)^F05 \S+ (\S+):`
	if strings.Contains(remedy, "import") {
		pattern = `(?m)^F22 \S+ (\S+):`
	}
	if m := regexp.MustCompile(pattern).FindStringSubmatch(said); m != nil {
		return p.file(m[1])
	}
	return ""
}

// restore is the command that takes from a backup what nothing else has.
func (p *patient) restore() string {
	return "cd " + p.copy + " && cp -a --remove-destination log.jsonl archive " + p.Root + "/"
}

// compare holds what is live against what was, where the damaged store had a sound line of it.
func (p *patient) compare(remedy, said string, sound map[string]bool, got map[string]string) {
	p.T.Helper()
	adopted := strings.Contains(remedy, "--adopt")
	for key, was := range p.was {
		if now := got[key]; now != was && sound[key+"\t"+was] &&
			(!adopted || !strings.Contains(said, key)) {
			p.T.Errorf("%s: %s is %q, and was %q\n%s", remedy, key, now, was, said)
		}
	}
	for key, now := range got {
		_, was := p.was[key]
		named := strings.Contains(said, "have deleted") || strings.Contains(said, "may have deleted")
		switch {
		case was, named && strings.HasPrefix(key, "/gone/"):
		case adopted && key == "/hand", strings.Contains(remedy, "import") && key == "/synced":
		default:
			p.T.Errorf("%s: %s is live again: %s\n%s", remedy, key, now, said)
		}
	}
}

// sound returns, as key, tab, content, the sound lines that the store has anywhere.
func (p *patient) sound() map[string]bool {
	p.T.Helper()
	found := map[string]bool{}
	see := func(line []byte) {
		if e, err := log.Decode(line); err == nil && log.Checksummed(line) {
			found[e.Key.String()+"\t"+string(e.Content)] = true
		}
	}
	p.Must(filepath.WalkDir(p.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, "sync-conflict") {
			return err
		}
		text, err := os.ReadFile(path)
		p.Must(err)
		if strings.HasSuffix(path, ".json") {
			text, _ = log.CompactLine(nil, text)
		}
		for line := range bytes.Lines(text) {
			see(bytes.TrimSpace(line))
		}
		return nil
	}))
	return found
}
