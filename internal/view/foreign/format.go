package foreign

import (
	"bytes"
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
	Engram       Format = "engram"        // the file of engram export; only read
	MemoryMD     Format = "memory-md"     // one MEMORY.md; only written
)

// Formats lists the formats that an export writes.
const Formats = "jsonl, mcp, claude-memory or memory-md"

// ReadFormats lists those that an import reads.
const ReadFormats = "jsonl, mcp, claude-memory or engram"

// byteOrderMark is what some editors put before a text.
const byteOrderMark = "\ufeff"

// ErrFormat is wrapped when a text is not of the format that it is read in.
var ErrFormat error = BadInput("not of this format")

// ErrUnknownFormat is wrapped when a file is of none of the formats.
var ErrUnknownFormat error = BadInput("format not known")

// BadInput is an error in the input.
type BadInput string

func (e BadInput) Error() string { return string(e) }

// Kind returns the kind of wrong input; see [mem.KindOf].
func (e BadInput) Kind() string { return string(mem.KindInput) }

// IsKnown reports whether the format exists.
func (f Format) IsKnown() bool {
	return f == JSONL || f == MCP || f == ClaudeMemory || f == MemoryMD || f == Engram
}

// Record is one memory that was read.
type Record struct {
	Key     keypath.Key
	Content []byte       // compact JSON
	Line    int          // the line where it begins, from 1; 0: it is the whole file
	Marked  bool         // whether the file has the key from which the memory was exported
	Version log.Identity // the lineage of the version that was exported, if the file names it
}

// Detect returns the format of a file that begins so; "" for an export of sessions, which no import
// reads.
func Detect(head []byte) Format {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	switch {
	case isEngram(head):
		return Engram
	case sessionsHead().Match(head):
		return ""
	}
	line, _, _ := bytes.Cut(head, []byte{'\n'})
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

// sessionsHead matches the head of what mem session export writes, in either format. It is compiled
// at its first use: most runs never import.
var sessionsHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\{([^][{}]*"sessions"\s*:\s*\[|` +
		`\s*"metadata"\s*:\s*\{|\s*"id"\s*:\s*"mem_)`)
})

// IsTopic reports whether a file name is that of a markdown file.
func IsTopic(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".md") }
