package cli

import (
	"strings"

	"github.com/set-memory/mem/internal/rule/site"
)

// projectSite returns the store that stands for the project here: its own, or the only one; nil
// where there is no project.
func projectSite(sites site.Sites) *site.Site {
	if sites.One != nil {
		return sites.One
	}
	return sites.Project
}

// hooksOff returns why no hook injects anything here; "" where they do.
func hooksOff(a *app, sites site.Sites) string {
	if isOffByEnv(a) {
		return "MEM_OFF is set"
	}
	if at := projectSite(sites); at != nil && sites.Book.IsOff(at.Root) {
		return "mem off was run here; mem on reverts it"
	}
	return ""
}

func isOffByEnv(a *app) bool {
	switch strings.ToLower(a.getenv("MEM_OFF")) {
	case "", "0", "false", "no":
		return false
	}
	return true
}
