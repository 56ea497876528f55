package cli

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// An empty answer is not an error, and stdout has nothing of it. What a person, or an agent, has to
// know stands on stderr: that nothing was found, or that there is no store where it was looked for.

// openToRead opens the stores for a verb that only reads, as one. A store that does not exist reads
// as empty, which a misspelt --root would too.
func openToRead(a *app, cmd *cobra.Command) (*mem.Store, error) {
	return openLayers(a, cmd, (*layers.Layers).Reading)
}

// openAdmitted is openToRead for a verb whose answer goes into a prompt.
func openAdmitted(a *app, cmd *cobra.Command) (*mem.Store, error) {
	return openLayers(a, cmd, (*layers.Layers).Admitted)
}

func openLayers(a *app, cmd *cobra.Command, open func(*layers.Layers) (*mem.Store, error)) (
	*mem.Store, error) {
	l, err := a.open(cmd)
	if err != nil {
		return nil, err
	}
	s, err := open(l)
	if err == nil && talks(a) {
		warnConfigs(cmd, l, s)
	}
	if err == nil && !s.Exists() && talks(a) {
		sites := l.Sites.List()
		if a.missing = sites[len(sites)-1].Root; !a.asJSON() {
			sayMissing(a, cmd)
		}
	}
	return s, err
}

// warnConfigs warns of each config.json that is wrong, whether or not the verb needs a setting. all
// reads the layers as one, and has the configuration of the last.
func warnConfigs(cmd *cobra.Command, l *layers.Layers, all *mem.Store) {
	sites := l.Sites.List()
	for _, of := range sites[:len(sites)-1] {
		if s, err := l.Open(of); err == nil {
			warnConfig(cmd, s)
		}
	}
	warnConfig(cmd, all)
}

// warnConfig warns of the config.json of a store if that is wrong. A server is not asked for it.
func warnConfig(cmd *cobra.Command, s *mem.Store) {
	if !site.IsRemote(s.Path()) {
		_, _ = s.ConfigToRead(cmd.Context()) // a verb that needs it returns the error
	}
}

// sayMissing says that there is no store, once. With JSON that waits for the end: where stderr has
// an error it has nothing else.
func sayMissing(a *app, cmd *cobra.Command) {
	if a.missing != "" {
		a.tell(cmd, "warning", "no store at "+a.missing+" yet")
		a.missing = ""
	}
}

// openKeyToRead is openToRead for a verb whose one argument names a memory.
func openKeyToRead(a *app, cmd *cobra.Command, arg string) (keypath.Key, *mem.Store, error) {
	s, err := openToRead(a, cmd)
	if err != nil {
		return keypath.Key{}, nil, err
	}
	_, user, err := note.Reading(a.layers, arg)
	if err == nil && user != nil {
		s, err = a.layers.AdmittedOf(user)
	}
	if err != nil {
		return keypath.Key{}, nil, err
	}
	key, err := namedKey(cmd, s, arg)
	return key, s, err
}

// talks reports whether stderr may have more than errors.
func talks(a *app) bool { return !a.quiet && !a.mute && a.logLevel != "error" }

// explains reports whether stderr may have what an answer in JSON has itself.
func explains(a *app) bool { return talks(a) && !a.asJSON() }

// sayEmpty says that the answer is empty, where that is not plain from it: JSON has a count, and of
// a store that does not exist it was said. It names the stores where the memories may be.
func sayEmpty(a *app, cmd *cobra.Command, s *mem.Store, n int, what string) {
	if n > 0 || !explains(a) {
		return
	}
	if s.Exists() {
		say(a, cmd, what)
	}
	former, _ := a.layers.Former(cmd.Context(), caller) // doctor has an error of it
	hintFormer(a, cmd, former)
}

// say prints a line on stderr that is a part of the answer.
func say(a *app, cmd *cobra.Command, what string) {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", a.build.Program, oneLine(mem.MaskSecrets(what)))
}

// mention says what an answer in JSON has itself, unless --quiet is given.
func mention(a *app, cmd *cobra.Command, what string) {
	if explains(a) {
		say(a, cmd, what)
	}
}

// openQuietly is openToRead for a shell that completes a line, which shows no warnings.
func openQuietly(a *app, cmd *cobra.Command) (*mem.Store, error) {
	a.mute = true
	l, err := a.open(cmd)
	if err != nil {
		return nil, err
	}
	return l.Reading()
}

// noteMissing says that a store to read does not exist, now or with an error in JSON, or that its
// configuration is wrong.
func noteMissing(a *app, cmd *cobra.Command, s *mem.Store) {
	if !talks(a) {
		return
	}
	warnConfig(cmd, s)
	if s.Exists() {
		return
	}
	if a.missing = s.Path(); !a.asJSON() {
		sayMissing(a, cmd)
	}
}
