package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/capture"
	"github.com/set-memory/mem/internal/rule/derive"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/log"
)

// ImportOptions say which transcripts are read, and for which stores.
type ImportOptions struct {
	Since   log.Stamp // lines before it do not count
	Project string    // only conversations of this folder and of those below it; "": of all
	DryRun  bool
	// Place returns the store that facts of a working directory go to, and the project's name.
	Place func(dir string) (store, project string, err error)
	// Progress is called after each file.
	Progress func(done, total int)
	// Damaged is called with each line that is skipped.
	Damaged func(path string, line int)
}

// Imported is what the transcripts of one project gave.
type Imported struct {
	Project       string `json:"project"`
	Conversations int    `json:"conversations"`
	Prompts       int    `json:"prompts"`
	Commands      int    `json:"commands"`
	New           int    `json:"new"`   // proposals
	Known         int    `json:"known"` // made, decided or expired before
	Full          int    `json:"full"`  // without room in the inbox
}

// ErrNoTranscripts is returned where there is no transcript to read.
var ErrNoTranscripts = errors.New("no transcript of Claude Code")

// Transcripts returns the transcripts of a path, the newest first: a file, or a directory of
// Claude Code with projects/*/*.jsonl. The error wraps ErrNoTranscripts.
func Transcripts(path string) (list []string, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if fi.Mode().IsRegular() {
		return []string{path}, nil
	}
	list, err = filepath.Glob(filepath.Join(globQuoted(path), "projects", "*", "*.jsonl"))
	if err != nil || len(list) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNoTranscripts)
	}
	changed := map[string]int64{}
	for _, name := range list {
		if fi, err := os.Stat(name); err == nil {
			changed[name] = fi.ModTime().UnixNano()
		}
	}
	newest := func(a, b string) int { return cmp.Compare(changed[b], changed[a]) }
	slices.SortStableFunc(list, newest)
	return list, nil
}

func globQuoted(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Import makes proposals of transcripts, one after the other; nothing is stored. The inbox takes a
// number of proposals for a store, and a later import takes more.
func Import(ctx context.Context, b *inbox.Inbox, files []string, o ImportOptions) (
	[]Imported, error) {
	var list []Imported
	for n, path := range files {
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		c := conversation{options: &o, path: path}
		err := c.read()
		if err == nil && !c.known && len(files) == 1 {
			err = ErrNoTranscripts
		}
		if err == nil && c.count.Prompts+c.count.Commands > 0 {
			err = c.propose(b)
			list = merge(list, c.count)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return list, fmt.Errorf("%s: %w", path, err)
		}
		if o.Progress != nil {
			o.Progress(n+1, len(files))
		}
	}
	return list, nil
}

// merge adds the counts of one conversation to those of its project.
func merge(list []Imported, one Imported) []Imported {
	i := slices.IndexFunc(list, func(im Imported) bool { return im.Project == one.Project })
	if i < 0 {
		return append(list, one)
	}
	p := &list[i]
	p.Conversations += one.Conversations
	p.Prompts += one.Prompts
	p.Commands += one.Commands
	p.New += one.New
	p.Known += one.Known
	p.Full += one.Full
	return list
}

// conversation is one transcript on its way into the inbox.
type conversation struct {
	options *ImportOptions
	path    string
	count   Imported
	known   bool // it has a turn of a conversation
	session string
	dir     string // the first working directory
	steps   []derive.Step
	found   []inbox.Proposal // of prompts and messages
}

// maxSteps is how many steps of a conversation are looked through, the last ones, and maxFound how
// many facts of its texts count, the first ones.
const maxSteps, maxFound = 4000, 500

func (c *conversation) read() error {
	f, err := os.Open(c.path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := Transcript{
		Prompt: c.prompt,
		Assistant: func(t Turn, text string) {
			if c.counts(t) {
				c.add(derive.Decisions(text)...)
			}
		},
		Step: func(t Turn, s inbox.Step) {
			if c.counts(t) && !isOwn(s.Command) {
				c.count.Commands++
				for i, file := range s.Files {
					if name, err := filepath.Rel(c.dir, file); err == nil && filepath.IsAbs(file) {
						s.Files[i] = filepath.ToSlash(name)
					}
				}
				c.steps = append(c.steps, stepOf(t.Session, s))
				c.steps = c.steps[max(0, len(c.steps)-maxSteps):]
			}
		},
	}
	if c.options.Damaged != nil {
		r.Damaged = func(line int) { c.options.Damaged(c.path, line) }
	}
	err = r.Read(f)
	c.known = r.Turns > 0
	return err
}

// counts reports whether a part is of the time and the project that are wanted.
func (c *conversation) counts(t Turn) bool {
	o := c.options
	if t.At < o.Since {
		return false
	}
	if o.Project != "" {
		within, err := filepath.Rel(o.Project, t.Dir)
		if err != nil || !filepath.IsLocal(within) {
			return false
		}
	}
	c.session = cmp.Or(c.session, t.Session)
	c.dir = cmp.Or(c.dir, t.Dir)
	within, err := filepath.Rel(c.dir, t.Dir)
	return err == nil && filepath.IsLocal(within) // a turn in another project counts for none
}

func (c *conversation) prompt(t Turn, text string) {
	if !c.counts(t) || strings.HasPrefix(text, "<") { // the client's own words
		return
	}
	c.count.Prompts++
	p := Prompted{Text: text}
	if r, class := asked(&p); r.Verdict != capture.Nothing {
		c.keep(inbox.Proposal{Class: class, Text: r.Text, User: r.User,
			Evidence: []string{p.Text}})
	}
}

func (c *conversation) add(list ...derive.Proposal) {
	for _, p := range list {
		c.keep(inbox.Proposal{Class: p.Class, Text: p.Text, Key: p.Key, Evidence: p.Evidence})
	}
}

// keep adds a fact that the conversation has not given yet.
func (c *conversation) keep(p inbox.Proposal) {
	same := func(o inbox.Proposal) bool { return o.Text == p.Text }
	if len(c.found) < maxFound && !slices.ContainsFunc(c.found, same) {
		c.found = append(c.found, p)
	}
}

// propose passes the findings to the inbox.
func (c *conversation) propose(b *inbox.Inbox) error {
	store, project, err := c.options.Place(c.dir)
	if err != nil {
		return err
	}
	c.count.Project, c.count.Conversations = cmp.Or(project, c.dir), 1
	c.add(derive.Commands(c.steps)...)
	for i := range c.found {
		p := &c.found[i]
		p.Store, p.Project, p.Client = store, project, "claude-code"
		p.Sessions = []string{c.session}
	}
	clean := withoutSecrets(c.found)
	for _, p := range clean {
		if b.Knows(p) {
			c.count.Known++
		}
	}
	fresh := len(clean) - c.count.Known
	if c.options.DryRun {
		c.count.New = fresh
		return nil
	}
	made, err := b.Propose(clean...)
	c.count.New = len(made)
	c.count.Full = fresh - c.count.New
	return err
}
