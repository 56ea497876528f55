package intake

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/rule/derive"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

const (
	// maxDerived is how many proposals come of one derivation.
	maxDerived = 5
	// maxFresh is how many conversations one ends.
	maxFresh = 4
	// deriveTime is how long one may take; a later one does the rest.
	deriveTime = 500 * time.Millisecond
)

var noteSpace = keypath.MustParse("/note/workspace/m-1")

// Begin makes the journal of a conversation that begins, where its settings allow proposals, and
// derives what earlier conversations of the store have left. Where they allow no more than
// capture.user the journal has prompts alone.
func Begin(ctx context.Context, l *layers.Layers, b *inbox.Inbox, s inbox.Session) error {
	all, err := l.Reading()
	if err != nil {
		return err
	}
	conf, err := rules(ctx, all)
	if err != nil || !conf.Capture.Propose && !conf.Capture.User || s.Session == "" {
		return err
	}
	one, err := FactSite(l)
	if err != nil {
		return err
	}
	s.Store, s.Project, s.Quiet = one.Address(), l.Sites.Name(), !conf.Capture.Propose
	if err := settleRules(ctx, l, b); err != nil {
		return err
	}
	if err := conclude(ctx, b, s.Store, ""); err != nil {
		return err
	}
	return b.Begin(s)
}

// FactSite returns where a fact of the project here goes.
func FactSite(l *layers.Layers) (*site.Site, error) {
	space, err := note.Space("")
	if err != nil {
		return nil, err
	}
	return l.SiteFor(space)
}

// Record adds a step to the journal of a conversation, if it has one. Of a command with a secret it
// keeps the program's name; mem's own commands leave no step.
func Record(b *inbox.Inbox, client, session string, s inbox.Step) error {
	if isOwn(s.Command) {
		return nil
	}
	if hasSecret(s.Command) || s.Command != "" && !derive.IsSafe(s.Command) {
		if s.Command = programOf(s.Command); hasSecret(s.Command) {
			s.Command = ""
		}
	}
	if hasSecret(s.Tool) || hasSecret(s.Dir) {
		return nil
	}
	s.Files = slices.DeleteFunc(s.Files, hasSecret)
	return b.Append(client, session, s)
}

// SearchFor returns the command by which a step keeps a search of a tool for a pattern; "" where
// there is none.
func SearchFor(tool, pattern string) string {
	if pattern == "" {
		return ""
	}
	return tool + ` "` + strings.ReplaceAll(pattern, `"`, "'") + `"`
}

func hasSecret(text string) bool { return secret.Mask(text, "") != text }

func programOf(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// isOwn reports whether a command runs mem itself.
func isOwn(command string) bool {
	program := programOf(command)
	return program == "mem" || strings.HasSuffix(program, "/mem")
}

// Derive makes the proposals of one conversation.
func Derive(ctx context.Context, b *inbox.Inbox, client, session string) error {
	j, ok := b.Journal(client, session)
	if !ok {
		return nil
	}
	return conclude(ctx, b, j.Store, j.Session.Session)
}

// conclude makes proposals of the journals of a store that have new steps, or of one conversation.
func conclude(ctx context.Context, b *inbox.Inbox, store, session string) error {
	ctx, cancel := context.WithTimeout(ctx, deriveTime)
	defer cancel()
	journals, err := b.Journals(store)
	if err != nil {
		return err
	}
	var steps []derive.Step
	var fresh []inbox.Journal
	for _, j := range journals {
		ends := j.Pending && len(fresh) < maxFresh &&
			(session == "" || j.Session.Session == session)
		if ends && !j.Quiet {
			j = withRollout(b, j)
		}
		if steps = append(steps, stepsOf(j)...); ends {
			fresh = append(fresh, j)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	list := proposals(derive.Commands(steps), fresh[0])
	for _, j := range fresh {
		if !j.Quiet {
			list = append(list, proposals(decisions(j.Transcript), j)...)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, err := propose(b, list[:min(len(list), maxDerived)]...); err != nil {
		return err
	}
	for _, j := range fresh {
		err = errors.Join(err, b.Append(j.Client, j.Session.Session, inbox.Step{Derived: true}))
	}
	return err
}

// stepsOf returns the steps of a journal in the folder of its project.
func stepsOf(j inbox.Journal) (list []derive.Step) {
	for _, s := range j.Steps {
		if s.Tool == inbox.Prompt {
			continue
		}
		if s.Dir != "" && j.Folder != "" {
			if _, within := site.PathWithin(j.Folder, s.Dir); !within {
				continue
			}
		}
		for i, file := range s.Files {
			if name, within := site.PathWithin(j.Folder, file); within && filepath.IsAbs(file) {
				s.Files[i] = filepath.ToSlash(name)
			}
		}
		list = append(list, stepOf(j.Session.Session, s))
	}
	return list
}

// stepOf returns a step as package derive reads it: a search names its folder behind its words.
func stepOf(session string, s inbox.Step) derive.Step {
	if s.Command != "" && len(s.Files) == 1 {
		s.Command += " " + s.Files[0]
	}
	return derive.Step{Session: session, Tool: s.Tool, Command: s.Command, Files: s.Files,
		Failed: s.Failed, Exit: s.Exit}
}

// proposals returns facts as the inbox has them; a decision is of the journal's conversation.
func proposals(found []derive.Proposal, j inbox.Journal) (list []inbox.Proposal) {
	for _, p := range found {
		if len(p.Sessions) == 0 {
			p.Sessions = []string{j.Session.Session}
		}
		list = append(list, inbox.Proposal{Class: p.Class, Text: p.Text, Key: p.Key,
			Store: j.Store, Project: j.Project, Client: j.Client, Sessions: p.Sessions,
			Evidence: p.Evidence})
	}
	return list
}
