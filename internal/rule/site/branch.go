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

// ProjectMark returns what the user's store knows a project by whose own store other people get:
// the identity that the origin of its repository gives, else its path here. It is "" for any other
// project, and without one.
func (s *Sites) ProjectMark() string {
	if s.Project == nil || !s.Project.Public() {
		return ""
	}
	if s.Project.Repo != nil {
		if r, err := identify(s.Project.Repo.Common); err == nil && r.claim != "" {
			return r.claim
		}
	}
	return s.Project.Root
}
