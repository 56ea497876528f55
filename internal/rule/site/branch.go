package site

import (
	"cmp"
	"strings"
)

// Branch returns the branch of the work tree of the project, as "feat/retries", out of the HEAD of
// its git directory; no git runs. It is "" without a repository and where a commit is checked out.
func (s *Sites) Branch() string {
	project := cmp.Or(s.Project, s.Served, s.One)
	if project == nil || project.Repo == nil {
		return ""
	}
	head, err := readText(project.Repo.GitDir, "HEAD", maxLink)
	branch, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if err != nil || !ok {
		return ""
	}
	return branch
}
