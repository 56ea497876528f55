package app

import (
	"os"

	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/queue"
)

// Queue returns what waits for the person in some stores.
func (a *App) Queue(l *layers.Layers) *queue.Queue {
	return &queue.Queue{Layers: l, Caller: a.Caller, Inbox: a.Inbox()}
}

// Inbox returns the inbox of this person. Its ages are those of files, whatever --now says.
func (a *App) Inbox() *inbox.Inbox {
	if a.Served != nil {
		return inbox.In("", SystemClock()) // the caller's is on another machine
	}
	home, _ := os.UserHomeDir() // without one there is no inbox
	return inbox.In(site.OpenBook(a.Getenv, home).Dir(), SystemClock())
}
