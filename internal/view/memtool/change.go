package memtool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func (t *Tool) create(ctx context.Context, in *input) (string, error) {
	key, err := parsePath(in.Path)
	if err != nil {
		return "", err
	}
	if in.FileText == nil {
		return "", missing(in, "file_text")
	}
	return t.change(ctx, func(op *mem.Operation) plan {
		write := mem.Write{Key: key, Content: withText(nil, *in.FileText), Source: t.sourceOf(op)}
		return func(now files) (string, []mem.Write, error) {
			taken, err := now.has(key)
			switch {
			case err != nil:
				return "", nil, err
			case taken:
				return "", nil, refuse("Error: File %s already exists", in.Path)
			}
			return "File created successfully at: " + in.Path, []mem.Write{write},
				now.mayHold(key)
		}
	})
}

func (now files) has(key keypath.Key) (bool, error) {
	for rec, err := range now.below(prefixOf(key)) {
		return err == nil && !rec.Key.IsZero(), err
	}
	return key == root, nil
}

// mayHold returns an error if a directory that a file is to be in is a file itself.
func (now files) mayHold(key keypath.Key) error {
	path := key.String()
	for i := len(keypath.Files) + 1; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		dir, err := keypath.Parse(path[:i])
		if err != nil {
			return err
		}
		if _, isFile, err := now.get(dir); err != nil {
			return err
		} else if isFile {
			return refuse("Error: The path %s is a file, not a directory", dir)
		}
	}
	return nil
}

// withText returns a content with another text, without the time of the former.
func withText(was []byte, text string) []byte {
	var o jsontext.Object
	isFile := false
	for name, value := range jsontext.Members(was) {
		isText := name == "text" && value[0] == '"'
		switch isFile = isFile || isText; {
		case isText:
			o.Text(name, text)
		case name != "created_at" && name != "timestamp":
			o.Raw(name, value)
		}
	}
	if !isFile {
		o = jsontext.Object{}
		o.Text("type", "file")
		o.Text("text", text)
	}
	return o.Bytes()
}

// edit replaces the text of one file by the result of fn. absent is the error for a file that does
// not exist.
func (t *Tool) edit(ctx context.Context, in *input, absent string,
	fn func(text string) (edited, answer string, err error)) (string, error) {
	key, err := parsePath(in.Path)
	if err != nil {
		return "", err
	}
	return t.change(ctx, func(op *mem.Operation) plan {
		source := t.sourceOf(op)
		return func(now files) (string, []mem.Write, error) {
			rec, found, err := now.get(key)
			switch {
			case err != nil:
				return "", nil, err
			case !found || key == root:
				return "", nil, refuse(absent, in.Path)
			}
			text, answer, err := fn(textOf(rec.Content))
			return answer, []mem.Write{{Key: key, Content: withText(rec.Content, text),
				Source: source}}, err
		}
	})
}

// around is how many lines are shown before and after the first that a replacement has changed.
const around = 2

func (t *Tool) replace(ctx context.Context, in *input) (string, error) {
	if in.OldStr == nil {
		return "", missing(in, "old_str")
	}
	old := *in.OldStr
	return t.edit(ctx, in, "Error: The path %s does not exist. Please provide a valid path.",
		func(text string) (string, string, error) {
			at, lines := occurrences(text, old)
			switch {
			case len(lines) == 0:
				return "", "", refuse("No replacement was performed, old_str `%s` did not appear "+
					"verbatim in %s.", old, in.Path)
			case len(at) > 1:
				return "", "", refuse("No replacement was performed. Multiple occurrences of "+
					"old_str `%s` in lines: %s. Please ensure it is unique", old,
					strings.Join(lines, ", "))
			}
			text = text[:at[0]] + in.NewStr + text[at[0]+len(old):]
			all := strings.Split(text, "\n")
			changed := strings.Count(text[:at[0]], "\n")
			first := max(changed-around, 0)
			return text, "The memory file has been edited. Here is the snippet showing the " +
				"change (with line numbers):\n" +
				numbered(all[first:min(changed+around+1, len(all))], first+1), nil
		})
}

// occurrences returns where a part begins in a text, also within another occurrence of it, and the
// numbers of these lines, each once. An empty part occurs nowhere.
func occurrences(text, part string) (at []int, lines []string) {
	for from, line := 0, 1; part != ""; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			break
		}
		line += strings.Count(text[from:from+i], "\n")
		number := fmt.Sprint(line)
		if len(lines) == 0 || lines[len(lines)-1] != number {
			lines = append(lines, number)
		}
		at = append(at, from+i)
		line += strings.Count(text[from+i:from+i+1], "\n")
		from += i + 1
	}
	return at, lines
}

func (t *Tool) insert(ctx context.Context, in *input) (string, error) {
	switch {
	case in.InsertLine == nil:
		return "", missing(in, "insert_line")
	case in.InsertText == nil:
		return "", missing(in, "insert_text")
	}
	return t.edit(ctx, in, "Error: The path %s does not exist",
		func(text string) (string, string, error) {
			lines, at := strings.Split(text, "\n"), *in.InsertLine
			if at < 0 || at > len(lines) {
				return "", "", refuse("Error: Invalid `insert_line` parameter: %d. It should be "+
					"within the range of lines of the file: [0, %d]", at, len(lines))
			}
			lines = slices.Insert(lines, at, strings.TrimSuffix(*in.InsertText, "\n"))
			return strings.Join(lines, "\n"), "The file " + in.Path + " has been edited.", nil
		})
}

func (t *Tool) delete(ctx context.Context, in *input) (string, error) {
	key, err := parsePath(in.Path)
	if err != nil {
		return "", err
	}
	if key == root {
		return "", refuse("Error: Cannot delete the /memories directory itself")
	}
	return t.change(ctx, func(op *mem.Operation) plan {
		source := t.sourceOf(op)
		return func(now files) (string, []mem.Write, error) {
			writes, err := now.each(key, func(rec log.Record) ([]mem.Write, error) {
				return []mem.Write{tombstone(rec.Key, source)}, nil
			})
			if err == nil && len(writes) == 0 {
				err = refuse("Error: The path %s does not exist", in.Path)
			}
			return "Successfully deleted " + in.Path, writes, err
		}
	})
}

func tombstone(key keypath.Key, source []byte) mem.Write {
	return mem.Write{Key: key, Content: []byte("null"), Source: source}
}

// each returns the writes that fn makes of a file, or of each in a directory.
func (now files) each(key keypath.Key, fn func(log.Record) ([]mem.Write, error)) (
	list []mem.Write, err error) {
	for rec, err := range now.below(prefixOf(key)) {
		if err != nil {
			return nil, err
		}
		writes, err := fn(rec.Clone())
		if err != nil {
			return nil, err
		}
		list = append(list, writes...)
	}
	return list, nil
}

func (t *Tool) rename(ctx context.Context, in *input) (string, error) {
	from, err := parsePath(in.OldPath)
	if err != nil {
		return "", err
	}
	to, err := parsePath(in.NewPath)
	if err != nil {
		return "", err
	}
	if from == root {
		return "", refuse("Error: Cannot rename the /memories directory itself")
	}
	return t.change(ctx, func(op *mem.Operation) plan {
		source := t.sourceOf(op)
		return func(now files) (string, []mem.Write, error) {
			writes, err := now.moved(in, from, to, source)
			return "Successfully renamed " + in.OldPath + " to " + in.NewPath, writes, err
		}
	})
}

// moved returns the writes of a rename: each file under its new name as it was, and a tombstone.
func (now files) moved(in *input, from, to keypath.Key, source []byte) ([]mem.Write, error) {
	taken, err := now.has(to)
	if err != nil {
		return nil, err
	}
	if taken {
		return nil, refuse("Error: The destination %s already exists", in.NewPath)
	}
	writes, err := now.each(from, func(rec log.Record) ([]mem.Write, error) {
		key, err := keypath.Parse(to.String() + rec.Key.String()[len(from.String()):])
		return []mem.Write{{Key: key, Content: content.KeepTime(rec.Content, rec.TS),
			Source: rec.Source}, tombstone(rec.Key, source)}, err
	})
	switch {
	case err != nil:
		return nil, err
	case len(writes) == 0:
		return nil, refuse("Error: The path %s does not exist", in.OldPath)
	case strings.HasPrefix(to.String(), from.String()+"/"):
		return nil, refuse("Error: Cannot move %s into itself", in.OldPath)
	}
	return writes, now.mayHold(to)
}
