package site

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// RemoteFile is the file in a .mem that names the server with its memories: a URL, and a newline.
const RemoteFile = "remote"

const (
	maxRemote = 4 << 10

	// ignoreRemote leaves git the address of the memories: mem asks each person that clones it to
	// trust the address.
	ignoreRemote = "# git tracks the file remote, which names the server, and nothing else.\n" +
		"*\n!.gitignore\n!remote\n"
)

var (
	// ErrPassword is returned for a URL with a password, which anybody would read.
	ErrPassword = errors.New("it has a password, and others read this file")
	// ErrParameter is wrapped for a parameter that a URL in a .mem may not have.
	ErrParameter = errors.New("a URL in a .mem may not have it")
	// ErrURL is returned for a text that is no URL of a store.
	ErrURL = errors.New("want postgres://HOST/DATABASE?space=NAME or https://HOST[:PORT]/TENANT")
)

// IsRemote reports whether the name of a root is the URL of a store on a server, and no directory.
func IsRemote(root string) bool {
	return strings.HasPrefix(root, "postgres://") || strings.HasPrefix(root, "postgresql://") ||
		IsServed(root)
}

// IsServed reports whether the name of a root is the URL of a memory behind memd, over HTTP.
func IsServed(root string) bool {
	return strings.HasPrefix(root, "https://") || strings.HasPrefix(root, "http://")
}

// Absolute returns the whole path of a root; a URL is whole.
func Absolute(root string) (string, error) {
	if IsRemote(root) {
		return root, nil
	}
	return filepath.Abs(root)
}

// IsNearRemote reports whether a .mem in a directory or above it names a server, whether it may be
// used or not; "" is the working directory.
func IsNearRemote(dir string) bool {
	dir, err := filepath.Abs(dir)
	for ; err == nil; dir = filepath.Dir(dir) {
		if isFile(filepath.Join(dir, DotDir, RemoteFile)) {
			return true
		}
		if filepath.Dir(dir) == dir {
			return false
		}
	}
	return false
}

// readRemote returns the URL that a .mem names; "" for none.
func readRemote(root string) (string, error) {
	dir, err := disk.Open(root)
	if err != nil {
		return "", disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	text, err := dir.ReadFile(RemoteFile, maxRemote)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// inRemote are the parameters that the URL in a .mem may have. None names a file, which a commit
// could change when the URL was let in, and the server must stand in it. Older ones have read,
// which has no effect.
var inRemote = []string{"space", "host", "port", "user", "dbname", "sslmode", "connect_timeout",
	"application_name", "read"}

// CheckRemote refuses what cannot stand in a .mem: a URL with a password (ErrPassword), one with
// other parameters (ErrParameter), or none. The errors of a URL of HTTP are those of ParseAddress.
func CheckRemote(remote string) error {
	if IsServed(remote) {
		_, err := ParseAddress(remote)
		return err
	}
	u, err := url.Parse(remote)
	if err != nil || !IsRemote(remote) || strings.ContainsFunc(remote, unicode.IsSpace) {
		return ErrURL
	}
	query := u.Query()
	if _, has := u.User.Password(); has || query.Has("password") {
		return ErrPassword
	}
	for name := range query {
		if !slices.Contains(inRemote, name) {
			return fmt.Errorf("%.40s: %w", name, ErrParameter)
		}
	}
	if u.Hostname() == "" && query.Get("host") == "" || query.Get("space") == "" {
		return ErrURL
	}
	return nil
}

// WriteRemote makes a directory a .mem whose memories are at a URL. The errors are those of
// CheckRemote. A crash leaves one file or both: a .mem of another kind that nobody let in.
func WriteRemote(root, remote string) error {
	if err := CheckRemote(remote); err != nil {
		return err
	}
	dir, err := disk.Open(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.WriteFile(ignoreFile, []byte(ignoreRemote)); err != nil {
		return err
	}
	return dir.WriteBytesSync(RemoteFile, []byte(remote+"\n"))
}

// remoteMark is the record of a store whose URL was trusted.
func remoteMark(remote string) log.Envelope {
	return log.Envelope{Key: keypath.MustParse("/remote"), Source: []byte(`"mem trust"`),
		Content: jsontext.AppendString(nil, remote)}
}

// LetRemoteIn notes that the URL of a site was let in; it does nothing for one without.
func (s *Sites) LetRemoteIn(site *Site) error {
	if site.Remote == "" {
		return nil
	}
	err := s.Book.Learn(*site.Grant, remoteMark(site.Remote))
	if err == nil {
		site.Grant.Whole = true // trust covers every writer of that store
	}
	return err
}

// useRemote makes a site one of its server, if that was let in, or returns why not.
func (s *Sites) useRemote(site *Site) (skipped *Skipped, err error) {
	site.Remote, err = readRemote(site.Root)
	if err != nil && !disk.Failed(err) { // a commit may have made it a link, or too large
		return &Skipped{Root: site.Root, Why: "its " + RemoteFile + " is no file with a URL"}, nil
	}
	if err != nil || site.Remote == "" {
		return nil, err
	}
	if err := CheckRemote(site.Remote); err != nil {
		site.Remote = ""
		return &Skipped{Root: site.Root, Why: "its " + RemoteFile + " names no server: " +
			err.Error()}, nil
	}
	trusted, err := s.Book.trustsRemote(*site.Grant, site.Remote)
	if err != nil {
		return nil, err
	}
	if !trusted {
		why := "its memories are at " + site.Remote + ", which is not trusted"
		return &Skipped{Root: site.Root, Why: why, Untrusted: true}, nil
	}
	whole := *site.Grant
	whole.Whole, site.Grant = true, &whole
	site.Why += ", at " + site.Remote
	return nil, nil
}

// trustsRemote reports whether a URL was let in with a .mem. MEM_TRUST is about the directory: a
// commit may change the URL in it, so MEM_TRUST_REMOTE has to name that.
func (b *Book) trustsRemote(g Grant, remote string) (bool, error) {
	if g.Whole && slices.Contains(b.remotes, remote) {
		return true, nil
	}
	if g.Whole = false; g.ID == "" {
		return false, nil
	}
	known, err := b.Lines(g)
	return err == nil && known.Has(remoteMark(remote)), err
}

// Address returns where the store of a site is opened: its URL, or its directory.
func (s *Site) Address() string {
	if s.Remote != "" {
		return s.Remote
	}
	return s.Root
}
