package inject

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/readout"
)

// work describes the work of a conversation before its first prompt. Of the memories that a start
// looks at, those that it names come before the newest:
//
//	branch  the last element of the branch is a tag, or its words stand in the text in any form:
//	        "refunds are retried" for feat/refund-retries
//	dir     a path below the working directory in the project, or a file in it
//	talks   a memory that the last conversations of the project got at a prompt or an edit
type work struct {
	branch branch
	dir    string // in the project, with slashes; "" at its top
	files  map[string]bool
	talks  map[memory]bool
}

// work returns nil for a start of which nothing is known, as one from another machine.
func (ch *choice) work() *work {
	o := &ch.options
	if o.Trigger != AtStart || o.Dir == "" || o.Away {
		return nil
	}
	w := &work{files: filesIn(o.Dir), talks: ch.lastTalks(), branch: branchOf(o.Branch)}
	if names := NamesWithin(o.Root, o.Dir); o.Root != "" && len(names) > 0 && names[0] != "." {
		w.dir = names[0]
	}
	return w
}

// names reports whether the work names a memory.
func (w *work) names(it *readout.Item) bool {
	f := &it.Fields
	return w.talks[memory{it.Layer, it.Key}] || w.isIn(f.Text) || w.isIn(f.Summary) ||
		slices.ContainsFunc(f.Tags, w.branch.isTag) ||
		slices.ContainsFunc(f.Files, func(file content.File) bool {
			return w.dir != "" && strings.HasPrefix(file.Path, w.dir+"/") || w.files[file.Path]
		})
}

// isIn reports whether a text names the branch, the directory or a file in it.
func (w *work) isIn(text string) bool {
	return w.dir != "" && hasPhrase(text, w.dir) || len(w.files) > 0 && w.namesFile(text) ||
		w.branch.isIn(text)
}

// namesFile reports whether a file of the directory stands in a text without a path before it.
// Every candidate of a start is asked, so it looks only at the surroundings of dots.
func (w *work) namesFile(text string) bool {
	isName := func(c byte) bool {
		return c == '-' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' ||
			'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for at := 0; ; {
		dot := strings.IndexByte(text[at:], '.')
		if dot < 0 {
			return false
		}
		start, end := at+dot, at+dot+1
		for start > at && isName(text[start-1]) {
			start--
		}
		for end < len(text) && (isName(text[end]) || text[end] == '.' && end+1 < len(text) &&
			isName(text[end+1])) {
			end++
		}
		if w.files[text[start:end]] && (start == 0 || text[start-1] != '/') {
			return true
		}
		at = end
	}
}

// hasPhrase reports whether a phrase stands in a text between the ends of words.
func hasPhrase(text, phrase string) bool {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	for rest := text; ; {
		before, after, found := strings.Cut(rest, phrase)
		if !found {
			return false
		}
		left, _ := utf8.DecodeLastRuneInString(before)
		right, _ := utf8.DecodeRuneInString(after)
		if !isWord(left) && !isWord(right) {
			return true
		}
		rest = after
	}
}

// maxLooked is how many entries of a directory are looked at, in no order.
const maxLooked = 256

// filesIn returns the names in a directory by which a memory can mean a file there.
func filesIn(dir string) map[string]bool {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxLooked) // those read before an error count
	files := map[string]bool{}
	for _, name := range names {
		if filepath.Ext(name) != "" && !isCommon(name) {
			files[name] = true
		}
	}
	return files
}

// The last conversations of a project, and how far back in the record they are looked for in bytes.
const maxTalks, talksWithin = 3, injectionsLimit / 2

// lastTalks returns the memories that the last conversations of the project got.
func (ch *choice) lastTalks() map[memory]bool {
	project, err := plainJSON(ch.options.Project)
	if err != nil || ch.options.Project == "" {
		return nil
	}
	record, _ := ch.store.Journal(injectionsFile).Read(talksWithin) // it is best effort
	lines := bytes.Split(record, []byte{'\n'})
	talks, got := map[string]bool{}, map[memory]bool{}
	for _, line := range slices.Backward(lines) {
		var in Injection
		if bytes.Contains(line, []byte(`"occasion":"start"`)) || !bytes.Contains(line, project) ||
			json.Unmarshal(line, &in) != nil || in.Project != ch.options.Project ||
			in.Trigger == AtSubagent || in.Conversation == ch.options.Conversation {
			continue
		}
		if talks[in.Conversation] = true; len(talks) > maxTalks {
			break
		}
		for _, m := range in.Memories {
			got[m.memory()] = true
		}
	}
	return got
}
