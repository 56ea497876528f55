package layers

import (
	"cmp"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/site"
)

// HiddenBeside says how many memories a .mem hides, where they are, and how they come here, or to
// the server that has the project's memory; nil where there are none.
func (l *Layers) HiddenBeside(ctx context.Context, c mem.Caller) (advice.List, error) {
	root, n, err := l.StoreBeside(ctx, c)
	if n == 0 || err != nil {
		return nil, err
	}
	where := " moves them here"
	if p := cmp.Or(l.Sites.Project, l.Sites.Served); p != nil && site.IsServed(p.Remote) {
		where = " moves them to the server"
	}
	return advice.Say(text.Memories(n) + " of this repository in " + root +
		", which .mem replaces").
		Also(advice.Run("move", "--from", root, "--to", "project").Then(where)), nil
}

// LinkTo returns the command that lets a person choose a store in place of the one in use.
func LinkTo(id string) advice.List {
	return advice.Run("project", "link", id).Then(" shows both, and asks")
}

// MatchText says of a store that it may be of the repository here, without its name.
const MatchText = "another store may be of this repository"

// ApartText says of a repository that a store which is not in use there has its identity.
const ApartText = "its memories are apart from those of another store"
