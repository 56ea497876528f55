package compact

import (
	"testing"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func env(key, ts, content string) log.Envelope {
	s, err := log.ParseTime(ts)
	if err != nil {
		panic(err)
	}
	return log.Envelope{Key: keypath.MustParse(key), TS: s, Source: []byte(`"test"`), Content: []byte(content)}
}

func TestSmoke(t *testing.T) {
	dir, err := disk.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)
	wr, err := OpenWriter(dir, now, "b")
	if err != nil {
		t.Fatal(err)
	}
	err = wr.Append([]log.Envelope{env("/a", "2026-02-22T10:00:00Z", `{"x":1}`), env("/a/b", "2026-02-22T10:00:01Z", `2`), env("/c", "2026-02-22T10:00:02Z", `3`)})
	if err != nil {
		t.Fatal(err)
	}
	err = wr.Append([]log.Envelope{env("/c", "2026-02-22T10:00:03Z", `null`)})
	if err != nil {
		t.Fatal(err)
	}
	wr.Close()
	j := Job{Dir: dir, Now: now, Boot: "b", Limits: Limits{1, 1}, Lock: func() (func() error, error) { return func() error { return nil }, nil }}
	rep, err := j.Run()
	t.Logf("%+v %v", rep, err)
	rep, err = j.Run()
	t.Logf("%+v %v", rep, err)
	v, err := Load(dir, "b")
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range v.Live() {
		t.Logf("%s %v full=%v", r.Line, err, v.Full)
	}
	wr, err = OpenWriter(dir, now, "c")
	t.Log(wr.w, err, wr.behind)
}
