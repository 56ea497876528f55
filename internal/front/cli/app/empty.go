package app

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

// OpenToRead opens the stores for a verb that only reads, as one. A store that does not exist reads
// as empty, which a misspelt --root would too: of a store that was named the answer says so.
func (a *App) OpenToRead(cmd *cobra.Command) (*mem.Store, error) {
	return a.openLayers(cmd, (*layers.Layers).Reading)
}

// OpenAdmitted is OpenToRead for a verb whose answer goes into a prompt.
func (a *App) OpenAdmitted(cmd *cobra.Command) (*mem.Store, error) {
	return a.openLayers(cmd, (*layers.Layers).Admitted)
}

func (a *App) openLayers(cmd *cobra.Command, open func(*layers.Layers) (*mem.Store, error)) (
	*mem.Store, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	s, err := open(l)
	if err == nil && a.Talks() && a.Served == nil { // the configuration is for the server's owner
		warnConfigs(cmd, l, s)
	}
	if err == nil && !s.Exists() && a.Talks() && l.Sites.One != nil {
		if a.missing = l.Sites.One.Root; !a.AsJSON() {
			a.SayMissing(cmd)
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

// SayMissing says that there is no store, once. With JSON that waits for the end: where stderr has
// an error it has nothing else.
func (a *App) SayMissing(cmd *cobra.Command) {
	if a.missing != "" {
		a.Tell(cmd, "warning", "no store at "+a.missing+" yet")
		a.missing = ""
	}
}

// OpenKeyToRead is OpenToRead for a verb whose one argument names a memory.
func (a *App) OpenKeyToRead(cmd *cobra.Command, arg string) (keypath.Key, *mem.Store, error) {
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return keypath.Key{}, nil, err
	}
	_, user, err := note.Reading(cmd.Context(), a.Layers, a.Caller, arg)
	if err == nil && user != nil {
		s, err = a.Layers.AdmittedOf(user)
	}
	if err != nil {
		return keypath.Key{}, nil, err
	}
	key, err := a.NamedKey(cmd, s, arg)
	return key, s, err
}

// Talks reports whether stderr may have more than errors.
func (a *App) Talks() bool { return !a.Quiet && !a.mute && a.LogLevel != "error" }

// Explains reports whether stderr may have what an answer in JSON has itself.
func (a *App) Explains() bool { return a.Talks() && !a.AsJSON() }

// SayEmpty says that the answer is empty, where that is not plain from it: JSON has a count, and of
// a named store that does not exist it was said.
func (a *App) SayEmpty(cmd *cobra.Command, s *mem.Store, n int, what string) {
	if n > 0 || !a.Explains() {
		return
	}
	if s.Exists() || a.Layers.Sites.One == nil {
		a.Say(cmd, what)
	}
}

// Say prints a line on stderr that is a part of the answer.
func (a *App) Say(cmd *cobra.Command, what string) {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", a.Build.Program, OneLine(mem.MaskSecrets(what)))
}

// Mention says what an answer in JSON has itself, unless --quiet is given.
func (a *App) Mention(cmd *cobra.Command, what string) {
	if a.Explains() {
		a.Say(cmd, what)
	}
}

// openQuietly is OpenToRead for a shell that completes a line, which shows no warnings.
func (a *App) openQuietly(cmd *cobra.Command) (*mem.Store, error) {
	a.mute = true
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	return l.Reading()
}

// NoteMissing says that a store to read does not exist, now or with an error in JSON, or that its
// configuration is wrong.
func (a *App) NoteMissing(cmd *cobra.Command, s *mem.Store) {
	if !a.Talks() {
		return
	}
	warnConfig(cmd, s)
	if s.Exists() {
		return
	}
	if a.missing = s.Path(); !a.AsJSON() {
		a.SayMissing(cmd)
	}
}
