package site

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel is the longest name in bytes.
const maxLabel = 60

// Name returns a readable name for a directory that belongs to the repository, the same for all of
// its worktrees: the base name of the main work tree; of a bare repository or a separate git
// directory its own, without ".git"; of a submodule that of its path. It is not empty, has letters,
// digits, "-", "_" and "." only, begins with neither "." nor "-", and at most 60 bytes. It is not
// unique.
func (r Repo) Name() string {
	base := filepath.Base(r.Common)
	if strings.HasPrefix(base, ".") { // .git, or a hidden bare repository
		base = filepath.Base(filepath.Dir(r.Common))
	}
	return safeName(strings.TrimSuffix(base, ".git"))
}

// safeName returns a readable text as a name of this kind.
func safeName(base string) string {
	base = strings.Map(safeInName, base)
	base = strings.TrimLeft(base, ".-")
	for len(base) > maxLabel {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	if base = strings.TrimRight(base, ".-"); base == "" {
		return "project"
	}
	return base
}

// safeInName returns a character, or "-" for one that some file system or shell could stumble over.
func safeInName(r rune) rune {
	if r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) ||
		strings.ContainsRune("-_.", r)) {
		return r
	}
	return '-'
}
