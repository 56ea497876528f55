package native

import (
	"cmp"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// The most of a folder that is read: bytes and facts.
const maxRead, maxFacts = 64 << 10, 32

// Files returns the files of a folder that count, the last changed first.
func (f Folder) Files() (list []fs.FileInfo) {
	dir, err := disk.Open(f.Path)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Names(".")
	for _, name := range names {
		fi, err := dir.Lstat(name)
		if err == nil && fi.Mode().IsRegular() && owner(fi) == f.owner &&
			strings.HasSuffix(name, ".md") && name[0] != '.' {
			list = append(list, fi)
		}
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	return list
}

// Facts yields the facts of a folder. It opens no file of which the reader has this version, as
// known reports, and yields no fact of it.
func (f Folder) Facts(known func(key string, at log.Stamp) bool) iter.Seq[readout.Native] {
	return func(yield func(readout.Native) bool) {
		files, room, facts := f.Files(), int64(maxRead), 0
		for _, fi := range files {
			n := readout.Native{Key: f.Client + ":" + fi.Name(), TS: log.StampOf(fi.ModTime()),
				From: f.Title, File: fi.Name()}
			if room <= 0 || known(n.Key, n.TS) {
				continue
			}
			kind, lines := f.lines(fi.Name(), f.read(fi, room), files)
			room -= fi.Size()
			for _, line := range lines {
				n.Type, n.Text = kind, strings.TrimSpace(strings.TrimLeft(line, "-*+ \t"))
				if !isFact(n.Text) {
					continue
				}
				if facts++; facts > maxFacts || !yield(n) {
					return
				}
			}
		}
	}
}

// read returns the beginning of a file, whole lines of at most so many bytes, with marks in place
// of secrets and without the blocks of mem.
func (f Folder) read(fi fs.FileInfo, most int64) string {
	dir, err := disk.Open(f.Path)
	if err != nil {
		return ""
	}
	defer dir.Close()
	file, err := dir.Open(fi.Name())
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, most))
	if int64(len(text)) < fi.Size() {
		text = text[:strings.LastIndexByte(string(text), '\n')+1]
	}
	theirs := foreign.WithoutPage(strings.ToValidUTF8(string(text), "\ufffd"))
	theirs, _ = secret.RedactText(readout.Unfence(theirs))
	return theirs
}

// lines returns the type and the description or the text of a topic file, or the lines of another
// file; of a folder for all projects those that name this one. What mem has exported is none.
func (f Folder) lines(name, text string, files []fs.FileInfo) (kind string, lines []string) {
	isOther := func(line string) bool { return f.names != nil && !f.names.MatchString(line) }
	if f.Client == claude && name != foreign.IndexFile {
		rec, err := foreign.ReadTopic(name, []byte(text))
		fields := content.Parse(rec.Content)
		if err != nil || rec.Marked || fields.Summary+fields.Text == "" || isOther(text) {
			return "", nil
		}
		return fields.Type, []string{readout.Short(rec.Content, fields)}
	}
	rec, ok, err := foreign.ReadIndex([]byte(text), func(name string) bool {
		return slices.ContainsFunc(files, func(fi fs.FileInfo) bool { return fi.Name() == name })
	})
	if !ok || err != nil {
		return "", nil
	}
	return "", slices.DeleteFunc(readout.Lines(content.Parse(rec.Content).Text), isOther)
}

// isFact reports whether a text may be injected: no secret, and not from mem.
func isFact(text string) bool {
	quoted := jsontext.AppendString(nil, text)
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return strings.ContainsFunc(text, isWord) && text[0] != '#' &&
		!strings.HasPrefix(text, "<!--") && !readout.IsLabelled(text) &&
		!strings.Contains(text, "[redacted: ") &&
		!secret.HasSecret(quoted) && len(secret.ScanNote("text", quoted)) == 0
}
