package remote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsonfile"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
)

const (
	maxServers = 1 << 20

	// TokenFile names in the environment a file with lines "ORIGIN TOKEN".
	TokenFile = "MEM_TOKEN_FILE"
)

// servers is the file of all logins.
var servers = jsonfile.File{Name: "servers.json", Lock: "servers.lock", Op: "token",
	Since: log.MinStamp.Time(), Wait: 5 * time.Second}

// Login is what this user has for a server.
type Login struct {
	URL    string `json:"url"` // of the memory: a token is for one tenant
	Origin string `json:"origin"`
	Token  string `json:"token"`
	CA     string `json:"ca,omitempty"` // certificates in PEM that are trusted for it, and no others
}

// Logins are the servers of a user, in servers.json of a directory. Each change replaces the file.
type Logins struct {
	dir  string // "": there can be none
	file string // of MEM_TOKEN_FILE; "" for none
}

type serverList struct {
	V       int     `json:"v"`
	Servers []Login `json:"servers"`
}

// LoginsIn returns the logins of a user with this state directory.
func LoginsIn(state string, getenv func(string) string) *Logins {
	return &Logins{dir: state, file: getenv(TokenFile)}
}

// Of returns the login for a memory; one without a token where there is none. The certificates of
// its origin are trusted that any login has.
func (l *Logins) Of(at site.Address) (one Login, err error) {
	list, err := l.load()
	if err != nil {
		return one, err
	}
	one = Login{URL: at.URL(), Origin: at.Origin}
	if i := indexOf(list, one.URL); i >= 0 {
		one = list.Servers[i]
	}
	for _, other := range list.Servers {
		if other.Origin == at.Origin {
			one.CA = cmp.Or(one.CA, other.CA)
		}
	}
	if l.file == "" {
		return one, nil
	}
	token, err := tokenIn(l.file, at.Origin)
	one.Token = cmp.Or(token, one.Token)
	return one, err
}

func indexOf(list serverList, url string) int {
	return slices.IndexFunc(list.Servers, func(o Login) bool { return o.URL == url })
}

// tokenIn returns the token of an origin in a file with a line for each; "" where it has none.
func tokenIn(path, origin string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", TokenFile, err)
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxServers))
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		of, err := site.ParseOrigin(words[0])
		if err != nil || len(words) != 2 {
			return "", fmt.Errorf("%s: line %d: %w: want https://HOST[:PORT] TOKEN", TokenFile, n,
				mem.ErrInput)
		}
		if of == origin {
			return words[1], nil
		}
	}
	return "", lines.Err()
}

// Put stores a login in place of that for the same memory.
func (l *Logins) Put(ctx context.Context, one Login) error {
	return l.change(ctx, func(list *serverList) {
		if at := indexOf(*list, one.URL); at >= 0 {
			list.Servers[at] = one
			return
		}
		list.Servers = append(list.Servers, one)
	})
}

// Remove removes the login for a memory, and reports whether there was one.
func (l *Logins) Remove(ctx context.Context, at site.Address) (was bool, err error) {
	err = l.change(ctx, func(list *serverList) {
		if at := indexOf(*list, at.URL()); at >= 0 {
			list.Servers, was = slices.Delete(list.Servers, at, at+1), true
		}
	})
	return was, err
}

func (l *Logins) load() (list serverList, err error) {
	if l.dir == "" {
		return list, nil
	}
	dir, err := disk.Open(l.dir)
	if err != nil {
		return list, disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	return readServers(dir)
}

func readServers(dir *disk.Dir) (list serverList, err error) {
	list, err = jsonfile.Read[serverList](dir, servers.Name, maxServers)
	if err == nil && list.V > 1 {
		err = log.ErrNewer
	}
	if err != nil {
		err = &fs.PathError{Op: "read", Path: dir.Join(servers.Name), Err: err}
	}
	return list, err
}

// change replaces the file by what fn makes of it.
func (l *Logins) change(ctx context.Context, fn func(*serverList)) error {
	if l.dir == "" {
		return errHome
	}
	dir, err := disk.Create(l.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	return servers.Update(ctx, dir, func() (any, error) {
		list, err := readServers(dir)
		if err == nil {
			fn(&list)
		}
		list.V = 1
		return list, err
	})
}

// Path returns where the logins are.
func (l *Logins) Path() string { return filepath.Join(l.dir, servers.Name) }

// errHome is returned where a login has no place.
var errHome = errors.New("there is no home directory for servers.json: set HOME")

// tokenAdvice returns how to get a token that the server takes.
func (c *Client) tokenAdvice() advice.List {
	if c.person {
		return advice.RunAlone("token add", c.at.Tenant, "--person", "--root", "DIR").
			Then(" makes one, at the server")
	}
	return advice.RunAlone("token add", c.at.Tenant, "--agent", "NAME", "--root", "DIR").
		Then(" makes one, at the server").Also(loginAdvice(c.at))
}

func loginAdvice(a site.Address) advice.List {
	return advice.RunAlone("token login", a.URL()).Then(" stores one")
}
