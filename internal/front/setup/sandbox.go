package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sandboxRoots returns the settings of the client's sandbox, the directories that they let commands
// write to, and those of mem that are missing there; nothing for a client without a sandbox.
func (r Request) sandboxRoots() (config string, open, closed []string) {
	if r.Client.AfterSetup.SandboxConfig == "" {
		return "", nil, nil
	}
	config = filepath.Join(r.Place.HomeOf(r.Client), r.Client.AfterSetup.SandboxConfig)
	text, _, _ := readFile(config) // without one, everything is missing
	open = writableRoots(text)
	for _, dir := range r.Stores {
		within := func(root string) bool { return isBelow(root, dir) }
		if filepath.IsAbs(dir) && !slices.ContainsFunc(open, within) {
			closed = append(closed, dir)
		}
	}
	return config, open, closed
}

// writableRoots returns the writable roots of the sandbox in settings in TOML.
func writableRoots(text []byte) (roots []string) {
	eachTOML(text, func(key string, list []string) {
		for _, token := range list {
			if key == "sandbox_workspace_write.writable_roots" && strings.Trim(token, `"'`) != token {
				roots = append(roots, tomlString(token))
			}
		}
	})
	return roots
}

// isBelow reports whether a path is a directory or lies in it.
func isBelow(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// MakeRoots creates the directories that mem writes to, for a client whose sandbox starts no
// command while one is missing. A crash leaves some of them, empty, which are no stores.
func MakeRoots(r Request) error {
	for _, dir := range r.Stores {
		if r.Client.AfterSetup.SandboxConfig == "" || !filepath.IsAbs(dir) {
			continue
		}
		r.Place.folders().add(dir)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// RemoveRoots removes those that are empty, and were made so, with the last file of such a client.
func RemoveRoots(r Request) {
	if r.Client.AfterSetup.SandboxConfig == "" || len(OtherScopes(r)) > 0 {
		return
	}
	for _, dir := range r.Stores {
		r.Place.folders().remove(dir)
		r.Place.folders().forget(dir) // what has memories in it is a store
	}
}
