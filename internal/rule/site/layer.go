package site

import (
	"cmp"
	"path/filepath"
)

// IsLayer reports whether the store is one of the layers, whatever names it: below the data
// directory, or a .mem that names no server. Copies of such a store are written apart, by people,
// machines and branches, so the ids of its notes have letters.
func (s *Site) IsLayer() bool {
	if s.Layer != "" {
		return s.Remote == ""
	}
	root, ok := s.named()
	return ok && (s.IsUsers() || filepath.Base(root) == DotDir ||
		s.data != "" && filepath.Dir(root) == projectsDir(s.data))
}

// IsUsers reports whether the store is the user's, whatever names it.
func (s *Site) IsUsers() bool {
	root, ok := s.named()
	return s.Layer == User || ok && s.data != "" && root == filepath.Join(s.data, "mem")
}

// named returns the root of a store that --root or MEM_ROOT names, as the data directory is
// spelled: without symbolic links.
func (s *Site) named() (root string, ok bool) {
	if s.Layer != "" || IsRemote(s.Root) {
		return "", false
	}
	root, err := filepath.Abs(s.Root)
	if err != nil {
		return "", false
	}
	return resolved(root), true
}

// resolved returns a path without symbolic links, as far as it exists.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if dir := filepath.Dir(path); err != nil && dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return cmp.Or(real, path)
}
