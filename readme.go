package mem

import _ "embed"

// readmeRoot explains a root to whoever finds it. It is written once and never touched again.
//
//go:embed readme_root.md
var readmeRoot string
