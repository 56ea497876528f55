package exchange

import (
	"errors"
	"strings"

	"github.com/set-memory/mem/jsontext"
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

// ErrFormat is wrapped when a text is not of the format that it is read in.
var ErrFormat = errors.New("not of this format")

// Known reports whether there is such a format.
func (f Format) Known() bool { return f == JSONL || f == MCP || f == ClaudeMemory || f == MemoryMD }

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

// IsTopic reports whether a file name is that of a markdown file.
func IsTopic(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".md") }

// Equal reports whether two contents say the same: the order of an object's members and the escapes
// in its strings do not count.
func Equal(a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
		return false
	}
	switch a[0] {
	case '"':
		return jsontext.Unquote(a) == jsontext.Unquote(b)
	case '{':
		return equalObjects(a, b)
	}
	return false
}

func equalObjects(a, b []byte) bool {
	have := map[string][]byte{}
	for name, value := range jsontext.Members(a) {
		have[name] = value
	}
	n := 0
	for name, value := range jsontext.Members(b) {
		old, ok := have[name]
		if !ok || !Equal(old, value) {
			return false
		}
		n++
	}
	return n == len(have)
}
