package mem

import (
	_ "embed"
	"io"
)

// ReadmeFile explains a root to whoever finds it. It is written once and never touched again.
const ReadmeFile = "README.md"

//go:embed readme_root.md
var readmeRoot string

func (s *Store) writeReadme() error {
	return s.root().WriteFileSync(ReadmeFile, func(w io.Writer) error { _, err := io.WriteString(w, readmeRoot); return err })
}
