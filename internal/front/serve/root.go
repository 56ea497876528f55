package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/log"
)

// tenantsDir is where the memories of the tenants are, below the root.
const tenantsDir = "tenants"

// Root is the directory of a server, or the one with the socket of a server whose memories are
// elsewhere.
type Root struct {
	path   string
	server *pgstore.Server // the database with the memories; nil: they are in the directory

	private int // how many directories at the path's end are for this user alone
}

// MakeRoot returns the root at a path, which is made where it is absent. The error wraps
// mem.ErrInput where it is a memory itself, or is the file system's.
func MakeRoot(path string) (*Root, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dir, err := disk.Create(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	switch _, err := dir.Lstat(log.File); {
	case err == nil:
		return nil, fault.Input(path,
			"it is a memory, and a server's root holds the memories of tenants",
			advice.Say("name a directory of its own, and move this one there as tenants/NAME"))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	// A crash right here leaves an empty directory.
	if err := dir.Mkdir(tenantsDir); err != nil {
		return nil, err
	}
	return &Root{path: path}, dir.Sync()
}

// OpenRoot returns the root at a path. The error wraps mem.ErrInput where there is none, or is the
// file system's.
func OpenRoot(path string) (*Root, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r := &Root{path: path}
	if err = r.check(); errors.Is(err, fs.ErrNotExist) {
		err = fault.Input(path, "it is no root of a server",
			advice.RunAlone("serve", "--root", "DIR").Then(" makes one, and so does the first ").
				RunAlone("token add"))
	}
	return r, err
}

// DatabaseRoot returns the root of a server whose tenants are the spaces of a database. The socket
// is in the directory whose path has these parts: the first is there, and the others are private.
func DatabaseRoot(server *pgstore.Server, dir ...string) *Root {
	return &Root{path: filepath.Join(dir...), server: server, private: len(dir) - 1}
}

// ErrNoTenant is returned where a database has no space for a tenant: no write makes one.
var ErrNoTenant error = newFault(mem.KindNo, http.StatusNotFound, "no such tenant",
	advice.RunAlone("space add", "NAME", "--root", "URL").Then(" makes one"))

// tenantError returns ErrNoTenant for the database's error for a missing space.
func tenantError(err error) error {
	if errors.Is(err, pgstore.ErrNoSpace) {
		return ErrNoTenant
	}
	return err
}

// Path returns where the root is.
func (r *Root) Path() string { return r.path }

// Socket returns the path of the unix socket, and makes the private directories that it is in. The
// error wraps mem.ErrInput where another user has made one first, or could replace it later.
func (r *Root) Socket() (string, error) {
	err := makePrivate(r.path, r.private)
	return filepath.Join(r.path, SocketFile), err
}

// makePrivate makes a directory for this user alone, and those above it, levels in all. Each is
// checked before the next is made in it, so what a check has seen no other user can replace.
func makePrivate(dir string, levels int) error {
	// A crash in this leaves empty directories.
	if levels == 0 {
		return os.MkdirAll(dir, disk.DirMode)
	}
	above := filepath.Dir(dir)
	if err := makePrivate(above, levels-1); err != nil {
		return err
	}
	if err := os.Mkdir(dir, disk.DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	in, err := os.Stat(above)
	fi, err2 := os.Lstat(dir)
	if err = errors.Join(err, err2); err != nil || !disk.HasModes {
		return err
	}
	uid, _ := disk.Owner(fi)
	owner, _ := disk.Owner(in)
	if fi.IsDir() && fi.Mode().Perm()&0o077 == 0 && uid == os.Geteuid() &&
		(owner == 0 || owner == uid) &&
		(in.Mode()&fs.ModeSticky != 0 || in.Mode().Perm()&0o022 == 0) {
		return nil
	}
	return fault.Input(dir, "it must be a directory that no other user can enter or replace",
		advice.Say("set XDG_RUNTIME_DIR to a directory of this user, of mode 0700"))
}

// IsMade reports whether the memory of a tenant is there, at the path that TenantPath returned; a
// server has answered that already.
func (r *Root) IsMade(path string) bool {
	if r.server != nil {
		return true
	}
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Check returns an error where a server that holds the memories cannot be asked.
func (r *Root) Check(ctx context.Context) error {
	if r.server == nil {
		return nil
	}
	return r.server.Check(ctx)
}

// Location returns where the memories are, for people.
func (r *Root) Location() string {
	if r.server != nil {
		return r.server.Location()
	}
	return r.path
}

// check returns an error where the root is gone: a memory would be made anew where nobody looks for
// it, as below the place where a disk was mounted.
func (r *Root) check() error {
	if r.server != nil {
		return nil // each request hears from the server itself
	}
	fi, err := os.Stat(filepath.Join(r.path, tenantsDir))
	if err == nil && !fi.IsDir() {
		err = &fs.PathError{Op: "open", Path: r.path, Err: disk.ErrIrregular}
	}
	return err
}

// tenantIDs are the ids of tenants, but for two; most verbs never need it.
var tenantIDs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
})

// CheckTenant refuses an id that no tenant can have. The error wraps mem.ErrInput.
func CheckTenant(id string) error {
	if !tenantIDs().MatchString(id) || id == "." || id == ".." {
		return fault.Input(fmt.Sprintf("tenant_id %.80q", id),
			"want 1 to 64 letters, digits and _ . -", nil)
	}
	return nil
}

// TenantPath returns the root of a tenant's memory. A directory need not be there; the error wraps
// ErrNoTenant where a server has none. It wraps mem.ErrInput for a wrong id, or where the file
// system takes it for that of another tenant.
func (r *Root) TenantPath(id string) (string, error) {
	if err := CheckTenant(id); err != nil {
		return "", err
	}
	if r.server != nil {
		place, err := r.server.Tenant(context.Background(), id)
		if err != nil {
			return "", tenantError(err)
		}
		return place.String(), nil
	}
	path := filepath.Join(r.path, tenantsDir, id)
	if runtime.GOOS == "linux" {
		return path, nil
	}
	// Where A and a, or a and a., are one directory, the tenants must not be one memory.
	if _, err := os.Lstat(path); err != nil {
		return path, nil // it is not there
	}
	list, err := os.ReadDir(filepath.Join(r.path, tenantsDir))
	isNamed := func(e fs.DirEntry) bool { return e.Name() == id }
	if err == nil && !slices.ContainsFunc(list, isNamed) {
		err = fault.Input("tenant_id "+id, "this disk does not distinguish it from another one",
			nil)
	}
	return path, err
}
