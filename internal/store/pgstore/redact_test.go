package pgstore_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/keypath"
)

// hushed fails where a text has a password in it, however that is spelled.
func hushed(t *testing.T, what, text, password string) {
	t.Helper()
	for _, spelled := range []string{password, url.QueryEscape(password), url.PathEscape(password),
		url.UserPassword("", password).String()[1:],
		strings.Trim(fmt.Sprintf("%q", password), `"`)} {
		if strings.Contains(text, spelled) {
			t.Errorf("%s tells the password: %s", what, text)
		}
	}
}

// tell returns all that an error says, its hint too.
func tell(err error) string {
	text := fmt.Sprintf("%v %+v %#v", err, err, err)
	if e, ok := err.(interface{ Advice() advice.List }); ok {
		text += e.Advice().String()
	}
	return text
}

// What is wrong with a URL is told without its password.
func TestURLHidesPassword(t *testing.T) {
	for _, password := range []string{"hunter2", "hunter 2+3", "h%nter/2", "h@nter:2", `h"nt'er\2`,
		"h`nter`: 2", "hünter&2=3"} {
		user := url.UserPassword("me", password).String()
		query := strings.ReplaceAll(url.QueryEscape(password), "+", "%20")
		for _, text := range []string{
			"postgres://" + user + "@h:x/db?space=s",
			"postgres://" + user + "@h:99999/db?space=s",
			"postgres://" + user + "@h/db?space=s&sslmode=odd",
			"postgres://" + user + "@h/db?space=s&pool_max_conns=x",
			"postgres://" + user + "@h/db?space=s&connect_timeout=x",
			"postgres://" + user + "@h/db?space=s&service=none",
			"postgres://" + user + "@h/db?space=a/b",
			"postgres://" + user + "@h/db",
			"postgres://" + user + "@[h/db",
			"postgres://h:x/db?password=" + query,
			"postgres://h/db?sslmode=odd&password=" + query,
			"postgres://h/db?sslmode=odd&sslpassword=" + query,
			"postgres://h/db?space=a/b&password=" + query,
			"postgres://h/db?Password=" + query,
			"postgres://h/db?password=first&sslmode=odd&password=" + query,
			"mysql://" + user + "@h/db",
		} {
			place, err := pgstore.ParseURL(text)
			if err != nil {
				hushed(t, "ParseURL", tell(err), password)
				continue
			}
			hushed(t, "String", place.String()+place.As("other", "s").String(), password)
			if _, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir()}); err != nil {
				hushed(t, "Open", tell(err), password)
			}
		}
	}
}

// locked is a server that asks all but its owner for a password, with a space whose role has one.
type locked struct {
	*pgtest.Server
	url            string // as the owner
	role, password string
	space          string
}

func newLocked(t *testing.T) *locked {
	t.Helper()
	l := &locked{Server: pgtest.Own(t, "fsync=off", "password_encryption=scram-sha-256"),
		role: "mem_s", password: "hunter 2:3", space: "s"}
	l.url = l.Database(t)
	_, err := pgstore.Migrate(ctx, l.url)
	must(t, err)
	_, err = pgstore.AddSpace(ctx, l.url, l.space, &pgstore.Login{Role: l.role,
		Password: l.password})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(l.Dir, "data", "pg_hba.conf"),
		[]byte("local all postgres trust\nlocal all all scram-sha-256\n"), 0o644))
	l.SQL(t, "postgres", "SELECT pg_reload_conf()")
	for try := 0; ; try++ { // the reload comes when the server gets there
		place := l.place(t, l.role+":wrong@", "")
		if _, err := pgstore.Spaces(ctx, place.String()); err != nil {
			return l
		}
		if try > 1000 {
			t.Fatal("the server asks for no password")
		}
	}
}

// place returns the space for a user as a URL has it, with more of a query.
func (l *locked) place(t testing.TB, user, query string) *pgstore.Address {
	t.Helper()
	place, err := pgstore.ParseURL("postgres://" + user + "/" + nameOf(t, l.url) + "?host=" +
		l.Dir + "&space=" + l.space + query)
	must(t, err)
	return place
}

func TestWrongPassword(t *testing.T) {
	l := newLocked(t)
	const wrong = "not hunter"
	for _, place := range []*pgstore.Address{
		l.place(t, url.UserPassword(l.role, wrong).String()+"@", ""),
		l.place(t, l.role+"@", "&password="+url.PathEscape(wrong)),
		l.place(t, l.role+"@", "&sslpassword="+url.PathEscape(wrong)),
	} {
		f := follow(t, place, t.TempDir())
		_, read := f.tryLive()
		_, _, get := f.Get(ctx, keypath.MustParse("/k"))
		_, _, config := f.Config(ctx, "")
		for what, err := range map[string]error{"read": read, "get": get, "config": config,
			"write": f.tryPut("new", "/k")} {
			if err == nil {
				t.Errorf("%s works with a wrong password", what)
			}
			hushed(t, what, tell(err), wrong)
		}
		hushed(t, "Examine", fmt.Sprintf("%+v", f.Examine(ctx)), wrong)
		hushed(t, "Shown", f.Location()+f.place.String()+fmt.Sprintf("%v", f.place), wrong)
	}
	// The hint for a space that is not there has the URL of the database in it.
	text := "postgres://" + url.UserPassword(l.role, l.password).String() + "@/" +
		nameOf(t, l.url) + "?host=" + l.Dir
	place, err := pgstore.ParseURL(text + "&space=none")
	must(t, err)
	_, err = follow(t, place, t.TempDir()).tryLive()
	if err == nil || !strings.Contains(tell(err), "mem space add") {
		t.Errorf("no space: %v", err)
	}
	hushed(t, "no space", tell(err), l.password)
	_, err = pgstore.Migrate(ctx, strings.Replace(text, "hunter", "HUNTER", 1))
	hushed(t, "Migrate", tell(err), strings.Replace(l.password, "hunter", "HUNTER", 1))
}

// Passwords come by all the ways that libpq has.
func TestPasswords(t *testing.T) {
	l := newLocked(t)
	bare := l.place(t, l.role+"@", "")
	line := bare.PassLine(l.password)
	file := filepath.Join(t.TempDir(), "pass")
	must(t, os.WriteFile(file, []byte(line+"\n"), 0o600))
	service := filepath.Join(t.TempDir(), "service")
	must(t, os.WriteFile(service, fmt.Appendf(nil, "[mine]\nhost=%s\ndbname=%s\nuser=%s\n", l.Dir,
		nameOf(t, l.url), l.role), 0o600))
	works := func(what string, place *pgstore.Address) {
		t.Helper()
		if err := follow(t, place, t.TempDir()).tryPut("written", "/k"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	works("in the URL", l.place(t, url.UserPassword(l.role, l.password).String()+"@", ""))
	works("a parameter", l.place(t, l.role+"@", "&password="+url.PathEscape(l.password)))
	works("passfile", l.place(t, l.role+"@", "&passfile="+url.QueryEscape(file)))
	owner := l.place(t, "postgres@", "&passfile="+url.QueryEscape(file))
	works("passfile, for another role", owner.As(l.role, l.space))
	owner = l.place(t, "postgres:owners@", "")
	if got := owner.As(l.role, l.space).Password(); got != "" {
		t.Errorf("the owner's password is another role's: %q", got)
	}
	t.Setenv("PGPASSFILE", file)
	works("PGPASSFILE", l.place(t, l.role+"@", ""))
	works("PGPASSFILE, for another role", owner.As(l.role, l.space))
	owner = l.place(t, "", "&user=postgres&password=owners")
	works("PGPASSFILE, for another role than that of a parameter", owner.As(l.role, l.space))
	if got := owner.As(l.role, l.space).String(); !strings.Contains(got, l.role) ||
		strings.Contains(got, "postgres@") || strings.Contains(got, "user=postgres") {
		t.Errorf("for another role it is called %s", got)
	}
	t.Setenv("PGSERVICEFILE", service)
	place, err := pgstore.ParseURL("postgres:///?service=mine&space=" + l.space)
	must(t, err)
	works("PGSERVICEFILE", place)
}
