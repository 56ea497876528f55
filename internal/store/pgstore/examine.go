package pgstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/store/backend"
)

// examineTime is how long the server may take to say how it is.
const examineTime = 5 * time.Second

func (s *database) copyPath() string { return filepath.Join(s.o.CacheDir, s.place.name()) }

// Examine says how the server, the space and this machine's copy are.
func (s *Store) Examine(ctx context.Context) []backend.Remark {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	list := []backend.Remark{{What: "root", Message: s.place.shown}}
	h, err := s.askHead(ctx)
	if err != nil {
		list[0] = remarkOf("root", err)
		list[0].Message = s.place.shown + ": " + list[0].Message
		return append(list, examiner{s}.examineCopy(head{})...)
	}
	x := examiner{s}
	for _, look := range []func(context.Context) ([]backend.Remark, error){
		x.examineServer, x.examineSchema, x.examineSettings, x.examineFollowers,
	} {
		remarks, err := look(ctx)
		if err != nil {
			remarks = []backend.Remark{remarkOf("server", failure(err))}
		}
		list = append(list, remarks...)
	}
	return append(list, x.examineCopy(h)...)
}

// examiner looks at the server, the space and the copy.
type examiner struct{ *Store }

func remarkOf(what string, err error) backend.Remark {
	r := backend.Remark{What: what, Message: err.Error(), Bad: true, Fix: "look at the server"}
	if e, ok := err.(*fault.Fault); ok && e.Do != nil {
		r.Fix = e.Do.String()
	}
	return r
}

// examineServer returns its version, its distance and the size of the space.
func (s examiner) examineServer(ctx context.Context) ([]backend.Remark, error) {
	var version, role string
	var number int
	var replica bool
	began := s.o.Clock()
	err := s.pool.QueryRow(ctx, `SELECT current_setting('server_version'),
		current_setting('server_version_num')::int, current_user, pg_is_in_recovery()`).
		Scan(&version, &number, &role, &replica)
	away := s.o.Clock().Sub(began)
	if err != nil {
		return nil, err
	}
	var lines, bytes int64
	err = s.pool.QueryRow(ctx, `SELECT count(*), coalesce(sum(octet_length(line)), 0)::bigint
		FROM (SELECT line FROM mem.envelopes WHERE space = $1 LIMIT 100001) AS few`,
		s.place.Space).Scan(&lines, &bytes)
	if err != nil {
		return nil, err
	}
	size := fmt.Sprintf("%d envelopes, %d bytes", lines, bytes)
	if lines > 100_000 {
		size = "more than 100000 envelopes"
	}
	server := backend.Remark{What: "server", Message: fmt.Sprintf(
		"PostgreSQL %s, as %s, %.1f ms away", version, role, float64(away.Microseconds())/1000)}
	switch {
	case number < 140_000:
		server.Message += ": memd works with 14 and newer"
		server.Fix = "upgrade the server"
	case replica:
		server.Message += ": a replica, so memd can only read"
	}
	return []backend.Remark{server, {What: "space", Message: s.place.Space + ": " + size}}, nil
}

// examineSchema lists the missing migrations.
func (s examiner) examineSchema(ctx context.Context) ([]backend.Remark, error) {
	list, err := missing(ctx, s.pool)
	if err != nil {
		return nil, err
	}
	r := backend.Remark{What: "schema", Message: "all migrations are taken"}
	if len(list) > 0 {
		r.Message = fmt.Sprintf("migrations that are missing: %d, from %s", len(list), list[0].Name)
		r.Fix = advice.RunAlone("migrate", "--root", s.place.database()).String()
	}
	return []backend.Remark{r}, nil
}

// examineSettings names settings that can lose acknowledged writes, or log them.
func (s examiner) examineSettings(ctx context.Context) ([]backend.Remark, error) {
	rows, err := s.pool.Query(ctx, `SELECT name, setting FROM pg_settings WHERE name IN ('fsync',
		'full_page_writes', 'log_statement', 'log_parameter_max_length', 'log_duration',
		'log_min_duration_statement', 'log_min_duration_sample')`)
	if err != nil {
		return nil, err
	}
	is := map[string]string{}
	var name, setting string
	if _, err = pgx.ForEachRow(rows, []any{&name, &setting}, func() error {
		is[name] = setting
		return nil
	}); err != nil {
		return nil, err
	}
	var list []backend.Remark
	for _, name := range []string{"fsync", "full_page_writes"} {
		if is[name] == "off" {
			list = append(list, backend.Remark{What: name, Bad: true,
				Message: name + " is off: a crash of the server's machine can lose stored memories",
				Fix:     "set " + name + " = on in postgresql.conf"})
		}
	}
	logs := is["log_statement"] == "all" || is["log_statement"] == "mod" ||
		is["log_min_duration_statement"] != "-1" || is["log_min_duration_sample"] != "-1"
	if logs && is["log_parameter_max_length"] != "0" {
		list = append(list, backend.Remark{What: "server log",
			Message: "the server logs parameters of statements, so memories get into its log",
			Fix:     "set log_parameter_max_length = 0 in postgresql.conf"})
	}
	if list == nil {
		list = append(list, backend.Remark{What: "settings",
			Message: "fsync is on, and no parameters are logged"})
	}
	return list, nil
}

// examineFollowers counts the copies, and names machines whose copy may hold purged records.
func (s examiner) examineFollowers(ctx context.Context) ([]backend.Remark, error) {
	rows, err := s.pool.Query(ctx, `SELECT f.host, f.gen >= s.gen FROM mem.followers f
		JOIN mem.spaces s ON s.name = f.space WHERE f.space = $1 ORDER BY f.host`, s.place.Space)
	if err != nil {
		return nil, err
	}
	n := 0
	var host string
	var current bool
	var behind []string
	_, err = pgx.ForEachRow(rows, []any{&host, &current}, func() error {
		if n++; !current {
			behind = append(behind, host)
		}
		return nil
	})
	r := backend.Remark{What: "copies", Message: fmt.Sprintf("%d known", n)}
	if len(behind) > 0 {
		r.Message += ", of which these may hold purged memories: " + strings.Join(behind, ", ")
		r.Fix = "use mem there, or remove its copy below ~/.cache/mem/postgres"
	}
	return []backend.Remark{r}, err
}

// examineCopy names the copy of this machine, and copies that were set aside.
func (s examiner) examineCopy(h head) []backend.Remark {
	c, sh, err := openCopy(s.Store)
	if err != nil {
		return []backend.Remark{remarkOf("copy", err)}
	}
	defer c.close()
	defer sh.hold().release()
	r := backend.Remark{What: "copy", Message: s.copyPath()}
	switch {
	case c.empty():
		r.Message += ": none yet, the first read makes it"
	case h.seq > sh.last.seq:
		r.Message += fmt.Sprintf(": %d envelopes behind", h.seq-sh.last.seq)
	}
	list := []backend.Remark{r}
	aside, _ := filepath.Glob(filepath.Join(s.copyPath(), "aside-*")) // the pattern is right
	for _, dir := range aside {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			list = append(list, backend.Remark{What: "lost",
				Message: dir + " has writes that the server lacked: it was restored, or lost them",
				Fix:     s.returns(dir) + "; then remove it"})
		}
	}
	return list
}
