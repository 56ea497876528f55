package pgstore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem/internal/base/advice"
)

// Address is where a memory is: a database and a space in it.
type Address struct {
	Space    string
	FromCopy bool // answer from the copy, and ask nobody whether it is the newest

	shown string // the URL without its secrets
	mode  bool   // the URL says how statements are sent
	conn  *pgxpool.Config
}

// How long a connection is tried for, where the URL or the environment does not say.
const connectTimeout = 5 * time.Second

// maxConns is how many connections one memory keeps, where the URL does not say (pool_max_conns).
const maxConns = 8

// isURL reports whether the name of a root is that of a place in PostgreSQL.
func isURL(root string) bool {
	return strings.HasPrefix(root, "postgres://") || strings.HasPrefix(root, "postgresql://")
}

// ParseURL reads a URL of this form:
//
//	postgres://[USER@][HOST][:PORT]/[DATABASE]?space=NAME
//
// It may have every parameter of libpq (sslmode, passfile, service, target_session_attrs, ...), and
// the environment supplies the rest, as with libpq. The error wraps ErrURL, and names no password.
func ParseURL(text string) (*Address, error) {
	u, err := url.Parse(text)
	if err != nil || !isURL(text) {
		return nil, urlError("it is not spelled like postgres://HOST/DATABASE?space=NAME")
	}
	query := parameters(u)
	if len(query["space"]) > 1 {
		return nil, urlError("space is given twice")
	}
	p := &Address{Space: query.Get("space")}
	switch text := query.Get("from_copy"); text {
	case "", "0":
	case "1":
		p.FromCopy = true
	default:
		return nil, urlError("from_copy=%.20s: want 0 or 1", text)
	}
	query.Del("space")
	query.Del("from_copy")
	u.RawQuery = encoded(query)
	p.conn, err = pgxpool.ParseConfig(u.String())
	if err != nil {
		return nil, urlError("%s", withoutURL(err.Error()))
	}
	if p.Space != "" {
		err = checkSpace(p.Space)
	}
	p.configure(query)
	p.shown = withoutSecrets(u, p.Space)
	return p, err
}

// urlError returns an error of a URL, as of something that a person gave.
func urlError(format string, args ...any) error {
	return inputFault(fmt.Errorf("%w: "+format, append([]any{ErrURL}, args...)...),
		advice.Say("want postgres://HOST/DATABASE?space=NAME, with the parameters of libpq"))
}

// parameters returns the query of a URL. A plus sign stands for itself, as in libpq.
func parameters(u *url.URL) url.Values {
	values, _ := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "+", "%2B"))
	return values
}

func encoded(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

// withoutURL returns what an error says of a URL, without the URL: that is known, and has secrets.
func withoutURL(message string) string {
	if text, ok := strings.CutPrefix(message, "cannot parse `"); ok {
		if _, reason, ok := strings.Cut(text, "`: "); ok {
			return reason
		}
	}
	return message
}

// configure sets what the URL does not say.
func (p *Address) configure(query url.Values) {
	c := p.conn.ConnConfig
	if c.ConnectTimeout == 0 || !query.Has("connect_timeout") && c.ConnectTimeout > connectTimeout {
		c.ConnectTimeout = connectTimeout
	}
	if !query.Has("pool_max_conns") {
		p.conn.MaxConns = maxConns
	}
	if !query.Has("pool_max_conn_idle_time") {
		p.conn.MaxConnIdleTime, p.conn.HealthCheckPeriod = idleTime, idleLook
	}
	if p.mode = query.Has("default_query_exec_mode"); !p.mode {
		// Without prepared statements of a name until it is known that no pooler lies between,
		// which may change the session between two transactions: see watcher.
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	// Lines are UTF-8 whatever the role's default is: else the server would change their bytes.
	c.RuntimeParams["client_encoding"] = "UTF8"
	if !query.Has("target_session_attrs") {
		// A standby lags behind, and what it has not yet is no sign that the server lost it.
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "memd"
	}
}

// String returns the URL without its secrets.
func (p *Address) String() string { return p.shown }

// As returns the same database for another role and space. The role's password is found by the ways
// of libpq: one in the URL is for its own role alone.
func (p *Address) As(role, space string) *Address {
	other, shown := *p, p.shown
	if u, err := url.Parse(shown); err == nil {
		if role != "" && role != p.conn.ConnConfig.User {
			query := parameters(u)
			query.Del("user")
			u.User, u.RawQuery = url.User(role), encoded(query)
			if its, err := ParseURL(u.String()); err == nil {
				other = *its
			}
		}
		shown = withoutSecrets(u, space)
	}
	other.Space, other.shown = space, shown
	return &other
}

// name returns the name of the directory of the copy: the space, and a hash.
func (p *Address) name() string {
	c := p.conn.ConnConfig
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%s", c.Host, c.Port, c.Database,
		p.Space))
	return p.Space + "-" + hex.EncodeToString(sum[:4])
}

// spaceNames are the names of spaces, but for two.
var spaceNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,48}$`)
})

// checkSpace refuses a name that no space can have. The error wraps ErrURL.
func checkSpace(name string) error {
	if !spaceNames().MatchString(name) || name == "." || name == ".." {
		return urlError("space %.80q: want 1 to 48 letters, digits and _ . -", name)
	}
	return nil
}

// withoutSecrets returns a URL without its password, and with its space.
func withoutSecrets(u *url.URL, space string) string {
	safe := *u
	if u.User != nil {
		safe.User = url.User(u.User.Username())
	}
	query := parameters(u)
	query.Del("space")
	for name := range query {
		if isSecret(name) {
			query.Del(name)
		}
	}
	if space != "" {
		query.Set("space", space)
	}
	safe.RawQuery = encoded(query)
	return safe.String()
}

// isSecret reports whether a parameter of a connection is not to be shown.
func isSecret(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), "password")
}

// passHost returns the name of a host in that file, which for a socket is another one.
func passHost(host string) string {
	if filepath.IsAbs(host) {
		return "localhost"
	}
	return host
}
