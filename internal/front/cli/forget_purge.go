package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/layer"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// runDelete writes tombstones.
func (o *forgetOptions) runDelete(a *app, cmd *cobra.Command, args []string) error {
	_, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	l, found, _, err := o.find(a, cmd, args, false)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.dry(a, cmd, l, found, args)
	}
	reply := mem.NewDeleteReply(nil, nil)
	var gone []mem.Outcome
	for _, part := range found {
		keys, err := forget.Keys(part.matches)
		if err != nil {
			return err
		}
		deleted, _, err := forget.Delete(cmd.Context(), part.store, caller, keys, o.reason, source)
		if err != nil {
			return deleteError(err)
		}
		gone = append(gone, deleted...)
		for _, out := range deleted {
			reply.Deleted = append(reply.Deleted, out.Key)
			sayLayer(a, cmd, l, "deleted "+out.Key.Shown()+" in", layerName(l, part.site))
		}
	}
	if reply.Missing, err = o.missing(a, cmd, l, args, reply.Deleted); err != nil {
		return err
	}
	if err := o.printDeleted(a, cmd, reply); err != nil {
		return err
	}
	sayOrphans(a, cmd, l, gone)
	if len(reply.Missing) > 0 {
		return missingError(reply.Missing)
	}
	return errIfNone(len(reply.Deleted))
}

func (o *forgetOptions) printDeleted(a *app, cmd *cobra.Command, reply mem.DeleteReply) error {
	if a.asJSON() {
		return a.printValue(cmd, reply)
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s forgotten\n", memories(len(reply.Deleted)))
	return err
}

// missing returns the keys that were named and hold nothing.
func (o *forgetOptions) missing(a *app, cmd *cobra.Command, l *mem.Layers, args []string,
	deleted []keypath.Key) (missing []keypath.Key, err error) {
	missing = []keypath.Key{}
	if len(args) == 0 {
		return missing, nil
	}
	all, err := l.Reading()
	if err != nil {
		return nil, err
	}
	sel, err := o.which.selection(cmd, all, args)
	for _, key := range sel.Keys {
		if !slices.Contains(deleted, key) {
			missing = append(missing, key)
		}
	}
	return missing, err
}

func errIfNone(n int) error {
	if n == 0 {
		return errNo
	}
	return nil
}

// dry lists what would go, and says what does not.
func (o *forgetOptions) dry(a *app, cmd *cobra.Command, l *mem.Layers, found []storeMatches,
	args []string) error {
	s, err := l.Reading()
	if err != nil {
		return err
	}
	if err := o.printSelected(a, cmd, found, s.Now()); err != nil {
		return err
	}
	var all []keypath.Key
	for _, part := range found {
		keys, err := forget.Keys(part.matches)
		if err != nil {
			return err
		}
		all = append(all, keys...)
	}
	missing, err := o.missing(a, cmd, l, args, all)
	if err == nil && len(missing) > 0 {
		err = missingError(missing)
	}
	return cmp.Or(err, errIfNone(len(all)))
}

// purged is what --json prints of a purge.
type purged struct {
	Versions int           `json:"versions"`
	Stores   []purgedStore `json:"stores"`
}

// purgedStore is the purge of one store.
type purgedStore struct {
	Layer    string        `json:"layer,omitempty"`
	Keys     []keypath.Key `json:"keys"`
	Versions int           `json:"versions"`
	Horizon  log.Stamp     `json:"horizon"`
	Proved   bool          `json:"proved"`
	Remains  []string      `json:"remains"`
	Others   []purge.Place `json:"others"`       // at most maxOthers
	Total    int           `json:"others_total"` // all of them
	Short    int           `json:"too_short"`    // values that are too short to be looked for
	Beyond   []string      `json:"beyond"`       // files that were not looked into
	Kept     []string      `json:"kept"`         // sums of files that other artifacts are about

	looked string // see backend.Proof
}

// maxOthers is how many places of other keys are listed.
const maxOthers = 20

// runPurge takes what is selected out of the history.
func (o *forgetOptions) runPurge(a *app, cmd *cobra.Command, args []string) error {
	l, found, total, err := o.find(a, cmd, args, true)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.dry(a, cmd, l, found, args)
	}
	if (forget.Selection{Text: o.which.text}).Tells(o.reason) {
		return &usage{what: "--reason", why: "it stays, and says what is to be forgotten"}
	}
	if total == 0 && len(args) == 0 {
		return o.nothingEver(a, cmd, l, args)
	}
	if err := o.ask(a, cmd, found, max(total, len(args))); err != nil {
		return err
	}
	if found, err = o.withUnreadable(cmd, l, args, found); err != nil {
		return err
	}
	doc := purged{Stores: []purgedStore{}}
	var failed error
	for _, part := range found {
		keys, err := forget.Keys(part.matches)
		if err != nil {
			return err
		}
		proof, err := part.store.Purge(cmd.Context(), caller, mem.PurgeOptions{
			Keys: keys, Reason: o.reason, ForgetKeys: o.noTrace})
		if err != nil && len(proof.Remains) == 0 {
			return deleteError(err)
		}
		if proof.Versions == 0 {
			continue
		}
		failed = cmp.Or(failed, err)
		doc.Versions += proof.Versions
		doc.Stores = append(doc.Stores, newPurgedStore(layerName(l, part.site), keys, proof))
	}
	if doc.Versions == 0 {
		return o.nothingEver(a, cmd, l, args)
	}
	if err := doc.print(a, cmd); err != nil {
		return err
	}
	return failed
}

// withUnreadable adds to what was found the keys that were named and have no version that can be
// read: damaged lines may show them all the same. What was purged before is not purged again.
func (o *forgetOptions) withUnreadable(cmd *cobra.Command, l *mem.Layers, args []string,
	found []storeMatches) ([]storeMatches, error) {
	if len(args) == 0 {
		return found, nil
	}
	all, err := l.Reading()
	if err != nil {
		return nil, err
	}
	sel, err := o.which.selection(cmd, all, args)
	if err != nil {
		return nil, err
	}
	past, err := purgedBefore(cmd, l)
	if err != nil {
		return nil, err
	}
	for _, site := range l.Sites.List() {
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		part := storeMatches{site: site, store: s}
		permitted, err := sel.Permitted(caller)
		if err != nil {
			return nil, err
		}
		for _, key := range permitted {
			_, done := past[key.String()]
			if !done && !has(found, site, key) {
				part.matches = append(part.matches, forget.Match{Key: key.String()})
			}
		}
		if len(part.matches) > 0 {
			found = append(found, part)
		}
	}
	return found, nil
}

// has reports whether a key was found in a store.
func has(found []storeMatches, site *layer.Site, key keypath.Key) bool {
	for _, part := range found {
		if part.site == site && slices.ContainsFunc(part.matches,
			func(m forget.Match) bool { return m.Key == key.String() }) {
			return true
		}
	}
	return false
}

// nothingEver says that there is nothing to purge, or no more.
func (o *forgetOptions) nothingEver(a *app, cmd *cobra.Command, l *mem.Layers,
	args []string) error {
	if a.asJSON() {
		return cmp.Or(a.printValue(cmd, purged{Stores: []purgedStore{}}), errNo)
	}
	if !talks(a) {
		return errNo
	}
	past, err := purgedBefore(cmd, l)
	if err != nil {
		return err
	}
	for _, arg := range args {
		what := "no version matches"
		if at, ok := past[arg]; ok {
			what = "it was purged on " + at.String()
		}
		say(a, cmd, "nothing to purge: "+arg+": "+what)
	}
	if len(args) == 0 {
		say(a, cmd, "nothing to purge: no version matches")
	}
	return errNo
}

// purgedBefore returns when keys were purged.
func purgedBefore(cmd *cobra.Command, l *mem.Layers) (map[string]log.Stamp, error) {
	past := map[string]log.Stamp{}
	for _, site := range l.Sites.List() {
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		list, err := forget.Deletions(cmd.Context(), s, caller)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if d.Purged {
				past[d.Key] = d.TS
			}
		}
	}
	return past, nil
}

// ask asks a person at a terminal, who is shown what would go. Elsewhere --yes is the answer, for a
// purge cannot be undone.
func (o *forgetOptions) ask(a *app, cmd *cobra.Command, found []storeMatches, total int) error {
	if !a.yes && isTerminal(cmd) {
		showMatches(cmd, found)
	}
	err := confirm(a, cmd, policy.Purge, fmt.Sprintf("purge %s for good?", memories(total)))
	if errors.Is(err, errNo) {
		say(a, cmd, "nothing was purged")
	}
	return err
}

// showMatches lists on stderr what would go: the answer on stdout is what was done.
func showMatches(cmd *cobra.Command, found []storeMatches) {
	w, shown := cmd.ErrOrStderr(), 0
	for _, part := range found {
		for _, m := range part.matches {
			if shown++; shown > maxShown {
				continue
			}
			fmt.Fprintln(w, "  "+oneLine(fmt.Sprintf("%s (%s) %s", keypath.Show(m.Key),
				count(m.Versions, "version"), m.Summary)))
		}
	}
	if shown > maxShown {
		fmt.Fprintf(w, "  ... and %d more: --dry-run lists them all\n", shown-maxShown)
	}
}

// isTerminal reports whether somebody can be asked.
func isTerminal(cmd *cobra.Command) bool {
	return isTerminalStream(cmd.InOrStdin())
}
