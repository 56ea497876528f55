package filestore

import (
	"path"
	"strings"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Names below the root that no package below owns.
const (
	ReadmeFile   = "README.md"
	ArtifactsDir = "artifacts" // blobs by their SHA-256: see Blobs in the package comment
)

// Entry is one name below the root.
type Entry struct {
	Name  string
	Dir   bool
	Truth bool // it cannot be rebuilt; else it is derived, or about mem's own work
	Mine  bool // a person may set its mode: config.json is the owner's

	Journal bool // lines that a Journal appends
}

// Layout returns every name below a root: all that mem writes, and nothing else.
func Layout() []Entry {
	return []Entry{
		{Name: ReadmeFile},
		{Name: log.File, Truth: true},
		{Name: state.FileName},
		{Name: state.CheckpointName},
		{Name: index.DirName, Dir: true},
		{Name: log.ArchiveDir, Dir: true, Truth: true},
		{Name: ArtifactsDir, Dir: true, Truth: true},
		{Name: state.CacheDir, Dir: true},
		{Name: log.QuarantineDir, Dir: true, Truth: true},
		{Name: backend.InjectionsFile, Journal: true},
		{Name: backend.OpsFile, Journal: true},
		{Name: backend.KeyFile},
		{Name: log.LockFile},
		{Name: log.WatermarkFile},
		{Name: purge.File},
		{Name: backend.ConfigFile, Mine: true},
		{Name: "repository.json"},
		{Name: "id"},
		{Name: "given"},
		{Name: ".gitignore", Mine: true},
		{Name: ".gitattributes", Mine: true},
	}
}

// PlaceOf returns the place of a name below the root: the files of archive/ and cache/ belong to
// these, and to artifacts/ those that are named by a sum. ok is false for what mem does not write.
func PlaceOf(name string) (p Entry, ok bool) {
	for _, p := range Layout() {
		if p.Name == name {
			return p, true
		}
		if p.Name == path.Dir(name) && (p.Name == log.ArchiveDir || p.Name == state.CacheDir ||
			p.Name == ArtifactsDir && content.IsBlobSum(path.Base(name))) {
			return Entry{Name: name, Truth: p.Truth}, true
		}
	}
	return Entry{}, false
}

// IsLogCopy reports whether a name below the root is what a folder sync calls the losing copy of
// the log, as log.sync-conflict-20261123-120000-ABCDEFG.jsonl or "log (conflicted copy).jsonl".
func IsLogCopy(name string) bool {
	stem, is := strings.CutSuffix(name, path.Ext(log.File))
	return is && name != log.File && !strings.Contains(name, "/") &&
		strings.HasPrefix(stem, "log") &&
		(strings.Contains(strings.ToLower(stem), "conflict") || strings.HasPrefix(stem, "log ("))
}
