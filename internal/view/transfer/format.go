package transfer

import (
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Format is how memories are laid out in a file or folder.
type Format string

// The formats.
const (
	JSONL        Format = "jsonl"         // mem's own: {"key","content","source"}, or envelopes
	MCP          Format = "mcp"           // the knowledge graph of the MCP reference server
	ClaudeMemory Format = "claude-memory" // the memory folder of Claude Code
	MemoryMD     Format = "memory-md"     // one MEMORY.md; only written
)

// Formats lists the formats, for messages.
const Formats = "jsonl, mcp, claude-memory or memory-md"

// ReadFormats lists those that an import reads.
const ReadFormats = "jsonl, mcp or claude-memory"

// ErrFormat is wrapped when a text is not of the format that it is read in.
var ErrFormat error = badInput("not of this format")

// ErrUnknownFormat is wrapped when a file is of none of the formats.
var ErrUnknownFormat error = badInput("format not known")

// badInput is an error in the input.
type badInput string

func (e badInput) Error() string { return string(e) }

// Kind returns the kind of wrong input; see [mem.KindOf].
func (e badInput) Kind() string { return string(mem.KindInput) }

// IsKnown reports whether the format exists.
func (f Format) IsKnown() bool {
	return f == JSONL || f == MCP || f == ClaudeMemory || f == MemoryMD
}

// Record is one memory that was read.
type Record struct {
	Key     keypath.Key
	Content []byte // compact JSON
	Line    int    // the line where it begins, from 1; 0: it is the whole file
	Marked  bool   // whether the file has the key from which the memory was exported
}

// Detect returns the format of a file with this first line.
func Detect(line []byte) Format {
	text, err := log.CompactLine(nil, line)
	if err != nil {
		return JSONL
	}
	kind, keyed := "", false
	for name, value := range jsontext.Members(text) {
		switch name {
		case "type":
			kind = jsontext.Unquote(value)
		case "key":
			keyed = true
		}
	}
	if !keyed && (kind == "entity" || kind == "relation") {
		return MCP
	}
	return JSONL
}

// sessionsHead matches the head of an export of sessions: that of mem session export, in either
// format, and that of engram. It is compiled at its first use: most runs never import.
var sessionsHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\{([^][{}]*"sessions"\s*:\s*\[|` +
		`\s*"metadata"\s*:\s*\{|\s*"id"\s*:\s*"mem_)`)
})

// IsTopic reports whether a file name is that of a markdown file.
func IsTopic(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".md") }
