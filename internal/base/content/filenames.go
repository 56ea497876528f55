package content

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
)

const (
	// maxFileNames is how many names of files count in one memory: a text with more is a listing.
	maxFileNames = 32
	// maxFileName is the length in bytes of the longest of them.
	maxFileName = 300
)

// FileNames returns the names of files in the text and the summary of a memory, each once, as the
// text has them but for the separator, which is a slash:
//
//	web/cart/price.ts   a path, relative or absolute
//	price.ts            the name of a file alone, with an extension
//	internal/billing/   a folder, with a slash at its end and two levels at least
//
// Quotes, brackets, blanks, colons and characters of Chinese, Japanese and Korean end a name. What
// follows :// is a URL. Paths with .. in them do not count.
func (f *Fields) FileNames() (names []string) {
	for _, text := range [...]string{f.Text, f.Summary} {
		for len(text) > 0 && len(names) < maxFileNames {
			var word string
			word, text = nextFileWord(text)
			name := strings.TrimRight(strings.ReplaceAll(word, `\`, "/"), ".-+")
			name = strings.TrimPrefix(strings.TrimLeft(name, "-+@"), "./")
			if isFileName(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// nextFileWord returns the first run of characters that a name may have, with a dot or a separator
// in it, and the text behind it; "" where there is none.
func nextFileWord(text string) (word, rest string) {
	for len(text) > 0 {
		start := strings.IndexFunc(text, inFileName)
		if start < 0 {
			return "", ""
		}
		end := start
		telling := false
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !inFileName(r) {
				break
			}
			telling = telling || r == '.' || r == '/' || r == '\\'
			end += size
		}
		if word, text = text[start:end], text[end:]; telling {
			return word, text
		}
	}
	return "", ""
}

// inFileName reports whether a character belongs to a name in a text.
func inFileName(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune(`_-./\+@~`, r)
	}
	const cjk = 0x2e80 // from here on scripts set no blanks
	return r < cjk && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// isFileName reports whether a word is one of the forms that FileNames returns.
func isFileName(name string) bool {
	if name == "" || len(name) > maxFileName || name[0] == '~' || strings.Contains(name, "//") ||
		slices.Contains(strings.Split(name, "/"), "..") ||
		strings.IndexFunc(name, unicode.IsLetter) < 0 {
		return false
	}
	folder, isFolder := strings.CutSuffix(name, "/")
	switch {
	case isFolder:
		return strings.Contains(strings.TrimPrefix(folder, "/"), "/")
	case strings.Contains(name, "/"):
		return true
	}
	extension := strings.TrimPrefix(path.Ext(name), ".")
	first, _ := utf8.DecodeRuneInString(extension)
	return unicode.IsLetter(first)
}

// ParseNaming is Parse for a reader of the names of files: a content that is a text counts as Text.
func ParseNaming(content []byte) Fields {
	f := Parse(content)
	if len(content) > 0 && content[0] == '"' {
		f.Text = jsontext.Unquote(content)
	}
	return f
}

// AllFileNames returns the paths of Files, and then the names in summary and text.
func (f *Fields) AllFileNames() (names []string) {
	for _, file := range f.Files {
		names = append(names, file.Path)
	}
	return append(names, f.FileNames()...)
}

// IndexedNames returns all names by which an index finds a memory: of the files that it names, and
// of the sizes of those whose bytes it has recorded ([SizeName]).
func (f *Fields) IndexedNames() (names []string) {
	for _, name := range f.AllFileNames() {
		names = append(names, IndexedNames(name)...)
	}
	for _, file := range f.Files {
		if file.Sum != "" {
			names = append(names, SizeName(file.Size))
		}
	}
	return names
}

// SizeName returns the name by which a memory is found that has recorded a file of this size: it is
// known without a look at the bytes.
func SizeName(size int64) string { return "size:" + strconv.FormatInt(size, 10) }

// IndexedNames returns the names by which an index finds a memory that names a file: a path also by
// its last element, and a pattern by the folder before its first wildcard, with a star.
func IndexedNames(name string) []string {
	switch {
	case IsPattern(name):
		fixed := name[:strings.IndexAny(name, wildcards)]
		return []string{fixed[:strings.LastIndexByte(fixed, '/')+1] + "*"}
	case strings.HasSuffix(name, "/") || !strings.Contains(name, "/"):
		return []string{name}
	}
	return []string{name, path.Base(name)}
}

const wildcards = "*?["

// IsPattern reports whether a name has wildcards.
func IsPattern(name string) bool { return strings.ContainsAny(name, wildcards) }

// NamesOfFile returns the names by which a memory can be about a file, as [IndexedNames] spells
// them, the closest first: its path, the folders that it is in and the patterns in these, and its
// last element.
func NamesOfFile(file string) []string {
	names := []string{file}
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' {
			names = append(names, file[:i+1], file[:i+1]+"*")
		}
	}
	return append(names, "*", path.Base(file))
}
