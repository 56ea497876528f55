package content

import (
	"strconv"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// File is a file, a folder or a pattern that the writer of a memory has named beside its text.
type File struct {
	Path string // with slashes, relative to the project or absolute; a folder ends in a slash

	// Of a regular file when the memory was written; Sum is "" for everything else.
	Size    int64
	ModTime log.Stamp
	Sum     string // SHA-256 in hex of the bytes, with each line end as one newline
}

// MaxFiles is how many files of a memory count.
const MaxFiles = 4

func parseFiles(value []byte) (files []File) {
	for element := range jsontext.Elements(value) {
		if f := parseFile(element); f.Path != "" && len(files) < MaxFiles {
			files = append(files, f)
		}
	}
	return files
}

func parseFile(object []byte) (f File) {
	for name, value := range jsontext.RawMembers(object) {
		switch string(name) {
		case "path":
			f.Path = jsontext.Unquote(value)
		case "size":
			f.Size, _ = strconv.ParseInt(string(value), 10, 64)
		case "mtime":
			f.ModTime, _ = parseStamp(value)
		case "sha256":
			if sum := jsontext.Unquote(value); IsBlobSum(sum) {
				f.Sum = sum
			}
		}
	}
	return f
}

// AppendFiles appends the files as a JSON array, as the member files of a content has them.
func AppendFiles(dst []byte, files []File) []byte {
	dst = append(dst, '[')
	for i, f := range files {
		if i > 0 {
			dst = append(dst, ',')
		}
		var o jsontext.Object
		o.Text("path", f.Path)
		if f.Sum != "" {
			o.Raw("size", strconv.AppendInt(nil, f.Size, 10))
			o.Text("mtime", f.ModTime.String())
			o.Text("sha256", f.Sum)
		}
		dst = append(dst, o.Bytes()...)
	}
	return append(dst, ']')
}
