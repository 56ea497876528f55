package native

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/tailscale/hujson"
)

// The clients that keep a memory themselves.
const claude, codex = "claude-code", "codex"

// Where says where the folders are looked for.
type Where struct {
	Dir           string   // a directory of the project
	Home          string   // of the person
	Claude, Codex string   // the homes of the clients
	Managed       string   // the file of managed settings of Claude Code
	Stores        []string // mem's own directories
}

// Folder is the memory that a client keeps itself, as far as it is about one project.
type Folder struct {
	Client string // that owns it
	Title  string // as people call it
	Path   string // a real path

	owner int            // of every file that counts
	names *regexp.Regexp // matches lines about the project; nil: all lines are
}

// Find returns the folders that exist for the project of a directory.
func Find(w Where) (list []Folder) {
	if real, err := filepath.EvalSymlinks(w.Home); err == nil {
		w.Home = real
	}
	root, names := w.project()
	of := Folder{Client: claude, Title: "Claude Code's memory", names: names}
	base, sub := w.Claude, filepath.Join("projects", slug(root), "memory")
	switch dir, err := w.named(); {
	case err != nil || dir == "" && slug(root) == "":
		base = ""
	case dir != "":
		base, sub = dir, "."
	default:
		of.names = nil
	}
	list = of.addTo(list, w, base, sub)
	of = Folder{Client: codex, Title: "Codex's memory", names: names}
	return of.addTo(list, w, w.Codex, "memories")
}

// project returns Claude Code's directory of the project, and an expression for its names.
func (w Where) project() (root string, names *regexp.Regexp) {
	repo, ok, err := site.FindRepo(w.Dir)
	name := repo.Name()
	switch root = repo.WorkTree; {
	case !ok || err != nil:
		root, _ = filepath.EvalSymlinks(w.Dir)
		name = filepath.Base(root)
	case repo.GitDir == repo.Common: // the main work tree, or a submodule
	case filepath.Base(repo.Common) == ".git":
		root = filepath.Dir(repo.Common)
	default:
		root = repo.Common
	}
	_, all := site.PathWithin(root, w.Home)
	if all || !filepath.IsAbs(root) || !utf8.ValidString(w.Home+root+name) {
		// What has all projects in it is named nowhere, nor is a name that is no text.
		return root, regexp.MustCompile(`$^`)
	}
	paths := regexp.QuoteMeta(root)
	if rest, ok := site.PathWithin(w.Home, root); ok {
		paths += "|" + regexp.QuoteMeta(filepath.Join("~", rest))
	}
	const end = `(?:$|[^\pL\pN_./\\-]|\.(?:$|[^\pL\pN_]))`
	return root, regexp.MustCompile(`(?:^|[^\pL\pN_./\\~-])(?:(?:` + paths + `)(?:[/\\]|` + end +
		`)|` + regexp.QuoteMeta(name) + end + `)`)
}

// slug returns the name of a project's folder, "" for none.
func slug(root string) string {
	const most = 200
	name := utf16.Encode([]rune(root))
	for i, u := range name {
		if u < '0' || u > '9' && u < 'A' || u > 'Z' && u < 'a' || u > 'z' {
			name[i] = '-'
		}
	}
	if len(name) > most || !filepath.IsAbs(root) {
		return ""
	}
	return string(utf16.Decode(name))
}

// named returns the folder that settings of Claude Code name, "" for none. It is an error if the
// memory is off, or if that cannot be known.
func (w Where) named() (dir string, err error) {
	var enabled *bool
	for _, file := range [...]string{w.Managed, filepath.Join(w.Claude, "settings.json")} {
		var s struct {
			AutoMemoryDirectory string
			AutoMemoryEnabled   *bool
		}
		text, err := os.ReadFile(file)
		if err == nil {
			text, err = hujson.Standardize([]byte(strings.TrimPrefix(string(text), "\ufeff")))
		}
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if disk.IgnoreNotExist(err) != nil {
			return "", err
		}
		dir, enabled = cmp.Or(dir, s.AutoMemoryDirectory), cmp.Or(enabled, s.AutoMemoryEnabled)
	}
	if enabled != nil && !*enabled {
		return "", os.ErrNotExist
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && filepath.IsLocal(rest) {
		dir = filepath.Join(w.Home, rest)
	}
	return dir, nil
}

// addTo adds a folder to a list, if it is a directory that is not outside of its base.
func (f Folder) addTo(list []Folder, w Where, base, sub string) []Folder {
	real, err := filepath.EvalSymlinks(base)
	if err != nil || !filepath.IsAbs(base) {
		return list
	}
	f.Path, err = filepath.EvalSymlinks(filepath.Join(real, sub))
	if _, inside := site.PathWithin(real, f.Path); err != nil || !inside {
		return list
	}
	top, err := os.Stat(real)
	info, failed := os.Stat(f.Path)
	if err != nil || failed != nil || !info.IsDir() || owner(top) != owner(info) {
		return list
	}
	for _, store := range w.Stores {
		if within, err := disk.IsWithin(store, f.Path); within || err != nil {
			return list
		}
	}
	f.owner = owner(top)
	return append(list, f)
}

// owner returns the owner of a file; 0 where the system does not say.
func owner(fi os.FileInfo) int {
	uid, _ := disk.Owner(fi)
	return uid
}
