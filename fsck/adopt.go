package fsck

import (
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Edit is what a person wrote into an index file: the content is taken from it, and nothing else.
type Edit struct {
	File    string // below the root
	Key     keypath.Key
	Content []byte
}

// Edits reads the hand-edited files among the findings (C-39). A file that is no JSON, or without
// content, is no edit to adopt: refused has the reason. The error is the file system's.
func (c *Checker) Edits(findings []Finding) (edits []Edit, refused map[string]error, err error) {
	tree, err := index.Open(c.Dir, c.Boot == "")
	if err != nil {
		return nil, nil, err
	}
	defer tree.Close()
	refused = map[string]error{}
	for _, f := range findings {
		if f.Check != checkEdited.ID {
			continue
		}
		edit, err := readEdit(tree, f)
		switch {
		case disk.Failed(err):
			return nil, nil, err
		case err != nil:
			refused[f.File] = err
		default:
			edits = append(edits, edit)
		}
	}
	return edits, refused, nil
}

func readEdit(tree *index.Tree, f Finding) (Edit, error) {
	e := Edit{File: f.File}
	text, err := tree.ReadPath(strings.TrimPrefix(f.File, index.DirName+"/"))
	if err != nil {
		return e, err
	}
	line, err := log.CompactLine(nil, text)
	if err != nil {
		return e, err
	}
	key := f.Key
	for name, value := range jsontext.Members(line) {
		switch name {
		case "key":
			key = jsontext.Unquote(value)
		case "content":
			e.Content = value
		}
	}
	if e.Content == nil {
		return e, log.ErrEnvelope
	}
	if e.Key, err = keypath.Parse(key); err == nil &&
		string(e.Key.Path()) != strings.TrimPrefix(f.File, index.DirName+"/") {
		err = index.ErrForeign
	}
	return e, err
}
