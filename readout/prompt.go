package readout

import _ "embed"

// Prompt teaches an agent to use mem through its shell, as a part of its system prompt (N-40).
//
//go:embed prompt.txt
var Prompt string
