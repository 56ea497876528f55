package pgstore

import (
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// replicaConnect is how long a replica is tried for, where the URL does not say (connect_timeout):
// one that is worth reading from is near, and the primary can answer, too, before a hook has given
// up.
const replicaConnect = 120 * time.Millisecond

// parseRead reads the replicas that read= of a URL names. All else is as the URL has it for the
// primary: role, database, TLS; the password is looked for as for any host.
func (p *Place) parseRead(u *url.URL, list string) error {
	if list == "" {
		return nil
	}
	hosts, ports, err := hostsOf(list, p.conn.ConnConfig.Port)
	if err != nil {
		return err
	}
	query, replica := parameters(u), *u
	query.Set("host", strings.Join(hosts, ","))
	query.Set("port", strings.Join(ports, ","))
	query.Set("passfile", os.DevNull) // the driver would look for the first host alone
	query.Del("target_session_attrs") // a primary that reads is a replica that does not lag
	replica.Host, replica.RawQuery = "", encoded(query)
	read := &Place{shown: p.shown}
	if read.conn, err = pgxpool.ParseConfig(replica.String()); err != nil {
		return urlError("read: %s", redact(withoutURL(err.Error()), u))
	}
	read.configure(query)
	c := read.conn.ConnConfig
	c.ValidateConnect = nil
	if !query.Has("connect_timeout") {
		c.ConnectTimeout = replicaConnect
	}
	if c.Password == "" {
		c.Password = p.passwordOfAll(&c.Config)
	}
	p.read = read.conn
	return nil
}

// hostsOf returns the hosts of a list HOST[:PORT],... and the port of each. A directory of a socket
// is a host, and has the port of the primary.
func hostsOf(list string, primary uint16) (hosts, ports []string, err error) {
	for item := range strings.SplitSeq(list, ",") {
		host, port := strings.Trim(item, "[]"), strconv.Itoa(int(primary))
		if h, p, err := net.SplitHostPort(item); err == nil && !strings.HasPrefix(item, "/") {
			host, port = h, p
		}
		if n, err := strconv.ParseUint(port, 10, 16); host == "" || err != nil || n == 0 ||
			strings.ContainsAny(host, "@?& ") || strings.Contains(host, "://") {
			return nil, nil, urlError("read=%.80s: want HOST or HOST:PORT, or several with commas",
				list)
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	return hosts, ports, nil
}

// forRole returns how replicas are reached for another role; nil for none.
func (p *Place) forRole(role string) *pgxpool.Config {
	if p.read == nil {
		return nil
	}
	conn := p.read.Copy()
	if role != "" && role != conn.ConnConfig.User {
		conn.ConnConfig.User = role
		conn.ConnConfig.Password = p.passwordOfAll(&conn.ConnConfig.Config)
	}
	return conn
}

// passwordOfAll is passwordOf for several hosts: a password that all of them have, for one host is
// not to be shown that of another.
func (p *Place) passwordOfAll(c *pgconn.Config) string {
	password := p.passwordOf(c)
	for _, other := range c.Fallbacks {
		next := *c
		next.Host, next.Port = other.Host, other.Port
		if p.passwordOf(&next) != password {
			return ""
		}
	}
	return password
}
