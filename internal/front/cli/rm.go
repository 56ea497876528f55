package cli

import (
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type rmOptions struct {
	source sourceFlags
	force  bool
}

func newRmCmd(a *app) *cobra.Command {
	o := &rmOptions{}
	cmd := &cobra.Command{
		Use:   "rm <key>...",
		Short: "delete memories",
		Long: `Write a tombstone for each key: it leaves the index and every read, and stays in
the log. Keys without a live memory are named, with exit code 1; the others are deleted all the
same. A key may come as a block prints it, without its first slash, and a note by its id.`,
		Example: `  mem rm /user/calendar/2026-02-23_10-00_dentist
  mem rm /task/1 /task/2 --source 'done'
  mem rm project/db m-4`,
		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.source.register(cmd)
	registerForce(cmd, &o.force)
	return cmd
}

func (o *rmOptions) run(a *app, cmd *cobra.Command, args []string) error {
	l, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	r := removal{layers: l, parts: map[*site.Site][]keypath.Key{}}
	if err := r.find(cmd, args); err != nil {
		return err
	}
	deleted, missing, err := r.delete(cmd, source, o.force)
	if err != nil {
		return deleteError(err)
	}
	if a.asJSON() {
		if err := a.printValue(cmd, mem.NewDeleteReply(deleted, missing)); err != nil {
			return err
		}
	}
	for _, out := range deleted {
		sayLayer(a, cmd, l, "deleted "+out.Key.Shown()+" in", out.Layer)
	}
	return missingError(missing)
}

// removal is the keys that are to be deleted, by the store that holds them.
type removal struct {
	layers *mem.Layers
	parts  map[*site.Site][]keypath.Key
}

func (r *removal) find(cmd *cobra.Command, args []string) error {
	for _, arg := range args {
		h, err := find(cmd, r.layers, arg)
		if err != nil {
			return err
		}
		if !slices.Contains(r.parts[h.site], h.key) {
			r.parts[h.site] = append(r.parts[h.site], h.key)
		}
	}
	return nil
}

// holding returns where a key is, or would be. One store is not asked before: what is done to the
// key there asks anyway.
func holding(cmd *cobra.Command, l *mem.Layers, key keypath.Key) (*site.Site, error) {
	if sites := l.Sites.List(); len(sites) == 1 {
		return sites[0], nil
	}
	site, _, err := l.Holding(cmd.Context(), caller, key)
	return site, layerError(err, key)
}

func (r *removal) delete(cmd *cobra.Command, source []byte, force bool) (
	deleted []mem.Outcome, missing []keypath.Key, err error) {
	for _, site := range r.layers.Sites.List() {
		if len(r.parts[site]) == 0 {
			continue
		}
		s, err := r.layers.Open(site)
		if err != nil {
			return deleted, missing, err
		}
		outcomes, gone, err := remove(cmd, s, r.parts[site], source, force)
		if err != nil {
			return deleted, missing, err
		}
		for i := range outcomes {
			outcomes[i].Layer = layerName(r.layers, site)
		}
		deleted, missing = append(deleted, outcomes...), append(missing, gone...)
	}
	return deleted, missing, nil
}

// remove deletes keys of one store.
func remove(cmd *cobra.Command, s *mem.Store, keys []keypath.Key, source []byte, force bool) (
	[]mem.Outcome, []keypath.Key, error) {
	op, err := s.Begin(caller, policy.Rm)
	if err != nil {
		return nil, nil, err
	}
	if force {
		op.Force()
	}
	return op.Delete(cmd.Context(), "user", keys, source)
}

// deleteError returns the error of a refused tombstone with a hint of its own: only its source can
// hold the secret.
func deleteError(err error) error {
	if errors.Is(err, policy.ErrSecret) {
		return &hinted{err, advice.Say("give a source without it, or none")}
	}
	return err
}
