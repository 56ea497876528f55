package app

import (
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// What the verbs share that change memories that are there: each acts where the key is found, the
// project first, and says where that was.

// EditFlags are the flags of such a verb.
type EditFlags struct {
	Source      SourceFlags
	AllowSecret []string
}

func (e *EditFlags) Register(cmd *cobra.Command) {
	e.Source.Register(cmd)
	cmd.Flags().StringArrayVar(&e.AllowSecret, "allow-secret", nil, AllowSecretUsage)
}

// Open finds the stores, and returns the author of the edit.
func (e *EditFlags) Open(a *App, cmd *cobra.Command) (l *layers.Layers, by edit.Author, err error) {
	if l, err = a.Open(cmd); err != nil {
		return nil, by, err
	}
	now, err := a.Clock()
	if err != nil {
		return nil, by, err
	}
	by.AllowSecrets, by.Agent = e.AllowSecret, hook.Source(a.Getenv, l.Sites.Name())
	by.Source, err = e.Source.Build(a, cmd, log.StampOf(now()))
	return l, by, err
}

// Held is a key, and the store that has it.
type Held struct {
	Key   keypath.Key
	Site  *site.Site
	Store *mem.Store
}

// Find returns the key that an argument names, and where it has a live memory, or would go.
func (a *App) Find(cmd *cobra.Command, l *layers.Layers, arg string) (h Held, err error) {
	all, user, err := note.Reading(cmd.Context(), l, a.Caller, arg)
	if err != nil {
		return h, err
	}
	if h.Key, err = a.NamedKey(cmd, all, arg); err != nil {
		return h, err
	}
	if h.Site = user; user == nil {
		if h.Site, err = a.Holding(cmd, l, h.Key); err != nil {
			return h, err
		}
	}
	h.Store, err = l.Open(h.Site)
	return h, err
}

// FindAll is find for several arguments, see [resolve].
func (a *App) FindAll(cmd *cobra.Command, l *layers.Layers, args []string) (
	list []Held, unknown UnknownNames, err error) {
	return resolve(args, func(arg string) (Held, error) { return a.Find(cmd, l, arg) })
}

// UnknownNames are the errors of ids that name no memory.
type UnknownNames []error

// resolve returns what find returns for each argument. Ids that name no memory do not keep the
// others from their turn; where there are no others, they are the error.
func resolve[T any](args []string, find func(arg string) (T, error)) (
	list []T, unknown UnknownNames, err error) {
	for _, arg := range args {
		one, err := find(arg)
		switch {
		case errors.Is(err, mem.ErrNotFound):
			unknown = append(unknown, err)
		case err != nil:
			return nil, nil, err
		default:
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		err = errors.Join(unknown...)
	}
	return list, unknown, err
}

// And returns the error for these names and for keys that were not there; nil for none.
func (n UnknownNames) And(keys []keypath.Key) error {
	for _, key := range keys {
		n = append(n, &mem.NotFoundError{Key: key})
	}
	return errors.Join(n...)
}

// EachStore calls fn with each store that has some of the keys, the name of its layer and its keys,
// each once, in the order of the layers. It stops at the first error; see backend.InTurn.
func EachStore(l *layers.Layers, list []Held,
	fn func(s *mem.Store, layer string, keys []keypath.Key) error) error {
	var turn backend.InTurn
	for _, site := range l.Sites.List() {
		var keys []keypath.Key
		var s *mem.Store
		for _, h := range list {
			if h.Site == site && !slices.Contains(keys, h.Key) {
				s, keys = h.Store, append(keys, h.Key)
			}
		}
		if s == nil {
			continue
		}
		if err := turn.Next(fn(s, l.NameOf(site), keys)); err != nil {
			return err
		}
	}
	return turn.End()
}

// Holding returns the site of a key, or where it would go. One store is not asked: the operation on
// the key asks it anyway.
func (a *App) Holding(cmd *cobra.Command, l *layers.Layers, key keypath.Key) (*site.Site, error) {
	if sites := l.Sites.List(); len(sites) == 1 {
		return sites[0], nil
	}
	site, _, err := l.Holding(cmd.Context(), a.Caller, key)
	return site, LayerError(err, key)
}

// PrintEdit answers an edit: with the path of the file, as set does. answer is what --json prints.
func (a *App) PrintEdit(cmd *cobra.Command, l *layers.Layers, res edit.Result, answer any,
) error {
	if !res.Changed {
		a.Mention(cmd, "nothing changed")
		return a.Answer(cmd, answer, Nothing)
	}
	a.SayLayer(cmd, l, "changed "+res.Key.Shown()+" in", res.Layer)
	return a.Answer(cmd, answer, Outcome(res.Outcome))
}

// EditError returns the error of an edit with what to do.
func (a *App) EditError(err error) error {
	var fault *edit.Error
	var lost *mem.ConflictError
	switch {
	case errors.As(err, &fault):
		return Hinted(err, a.editHint(fault))
	case errors.As(err, &lost) && lost.Why == "":
		return Hinted(err, advice.Say("another program wrote it meanwhile; the same command "+
			"again uses the new version"))
	case errors.Is(err, policy.ErrProvenance):
		return Hinted(err, advice.Say("give --kind --name and --url or --locator"))
	}
	return err
}

func (a *App) editHint(e *edit.Error) advice.List {
	key := e.Key.String()
	switch {
	case !policy.Permits(a.Caller, e.Key):
		return nil // no verb shows more of what an agent keeps
	case errors.Is(e, edit.ErrFirst), errors.Is(e, edit.ErrNoVersion):
		return advice.Run("history", key).Then(" lists its versions")
	case errors.Is(e, edit.ErrNoObject), errors.Is(e, edit.ErrNoList):
		return advice.Run("edit", key).Then(" changes it by hand")
	case errors.Is(e, edit.ErrCycle):
		return advice.Run("touch", key, "--current").Then(" takes that back")
	case errors.Is(e, edit.ErrReserved) && e.Key.Untrusted():
		return advice.Run("approve", key).Then(" or ").Run("reject", key).Then(" decides about it")
	case errors.Is(e, edit.ErrReserved):
		return advice.Say("a note keeps its id").Also(advice.Run("move").
			Then(" moves it to the other layer, ").Run("merge").Then(" its text to a key"))
	}
	return nil
}
