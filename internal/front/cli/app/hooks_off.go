package app

import (
	"cmp"
	"strings"

	"github.com/set-memory/mem/internal/rule/site"
)

// ProjectSite returns the store that stands for the project here: its own, be it behind a server,
// or the only one; nil where there is no project.
func ProjectSite(sites site.Sites) *site.Site {
	if sites.One != nil {
		return sites.One
	}
	return cmp.Or(sites.Project, sites.Served)
}

// HooksOff returns why no hook injects anything here; "" where they do.
func (a *App) HooksOff(sites site.Sites) string {
	if a.IsOffByEnv() {
		return "MEM_OFF is set"
	}
	if at := ProjectSite(sites); at != nil && sites.Book.IsOff(at.Root) {
		return "mem off was run here; mem on reverts it"
	}
	return ""
}

func (a *App) IsOffByEnv() bool {
	switch strings.ToLower(a.Getenv("MEM_OFF")) {
	case "", "0", "false", "no":
		return false
	}
	return true
}
