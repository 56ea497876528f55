package pgstore

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgpassfile"
	"github.com/jackc/pgx/v5/pgconn"
)

// passwordOf returns the password that libpq's file of passwords has for a connection; "" for none.
func (p *Place) passwordOf(c *pgconn.Config) string {
	path := os.Getenv("PGPASSFILE")
	if u, err := url.Parse(p.shown); err == nil && parameters(u).Has("passfile") {
		path = parameters(u).Get("passfile")
	}
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(home, ".pgpass")
	}
	file, err := pgpassfile.ReadPassfile(path)
	if err != nil {
		return ""
	}
	host := c.Host
	if filepath.IsAbs(host) {
		host = "localhost"
	}
	return file.FindPassword(host, strconv.Itoa(int(c.Port)), c.Database, c.User)
}
