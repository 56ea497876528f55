package mem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// The configuration of the sessions' design is that of a store without one, but for what it does
// not name.
func TestConfigOfTheSessions(t *testing.T) {
	seed, err := os.ReadFile("testdata/config_seed.json")
	if err != nil {
		t.Fatal(err)
	}
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		usual, err := s.Config(t.Context())
		s.Must(err)
		s.Configure(string(seed))
		got, err := s.Config(t.Context())
		s.Must(err)
		if got.Storage != usual.Storage || fmt.Sprint(got.Decay) != fmt.Sprint(usual.Decay) {
			t.Errorf("%+v, want %+v", got, usual)
		}
		s.Configure(`{"storage":{"max_session_size_mb":0.5,"auto_compact":false},"decay":null}`)
		got, err = s.Config(t.Context())
		s.Must(err)
		want := settings.StorageConfig{MaxSessionSizeMB: 0.5, CompactionThreshold: 0.9}
		if got.Storage != want || fmt.Sprint(got.Decay) != fmt.Sprint(usual.Decay) {
			t.Errorf("%+v", got)
		}
	})
}

// What a file says of one type leaves the others as they are.
func TestHalfLives(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "conversation 168, decision 720, finding 336, preference never, note 168",
		`{"decay":{"half_life_hours":48}}`: "conversation 168, decision 720, finding 336, " +
			"preference never, note 48",
		`{"decay":{"half_life_hours":48,"type_specific":{"note":{},"decision":{"half_life_hours":0.5},` +
			`"finding":{"decay_enabled":false},"preference":{"decay_enabled":true}}}}`: "conversation " +
			"168, decision 0.5, finding never, preference 48, note 48",
		`{"decay":{"type_specific":{"note":{"half_life_hours":7}, "preference":null}}}`: "conversation " +
			"168, decision 720, finding 336, preference never, note 7",
		`{"decay":{"enabled":false}}`: "conversation never, decision never, finding never, " +
			"preference never, note never",
	} {
		s := storetest.NewStore(t, storetest.Memory)
		s.Configure(text)
		conf, err := s.Config(t.Context())
		s.Must(err)
		var got []string
		for _, kind := range []string{"conversation", "decision", "finding", "preference", "note"} {
			hours, decays := conf.Decay.HalfLife(kind)
			if decays {
				got = append(got, fmt.Sprintf("%s %v", kind, hours))
			} else {
				got = append(got, kind+" never")
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", text, s, want)
		}
	}
	if fresh := settings.Default().Decay; len(fresh.TypeSpecific) != 4 {
		t.Errorf("the defaults were changed: %v", fresh)
	}
}

// With a configuration that is wrong nothing is written, and reading goes on with one warning.
func TestWrongConfig(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		ctx := t.Context()
		s.Put("/a", `{"text":"x"}`)
		s.Configure("{\n\"rotate\": {\"line\": 1}}")
		refuses := func(what string, err error) {
			t.Helper()
			var wrong *mem.ConfigError
			if !errors.As(err, &wrong) || wrong.Line != 2 || wrong.Near != "rotate.lines" ||
				!errors.Is(err, mem.ErrInput) {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err := s.Set(ctx, mem.Caller{}, storetest.Write("/b", "1"), mem.SetOptions{})
		refuses("set", err)
		_, err = s.SetAll(ctx, mem.Caller{}, strings.NewReader(""), mem.BatchOptions{})
		refuses("a batch", err)
		if s.Root != "" {
			_, err = s.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
			refuses("compact", err)
		}
		_, err = s.Store.SetSetting(ctx, mem.Caller{}, "rotate.lines", "5")
		refuses("another setting", err)
		if len(s.Warnings) > 0 {
			t.Errorf("warned: %q", s.Warnings)
		}
		for range 2 {
			page, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 100})
			s.Must(err)
			if len(page.Entries) != 1 {
				t.Errorf("read %d", len(page.Entries))
			}
			_, err = s.Store.Settings(ctx)
			s.Must(err)
		}
		if len(s.Warnings) != 1 ||
			!strings.Contains(s.Warnings[0], "line 2: rotate.line: no such") {
			t.Errorf("warned: %q", s.Warnings)
		}
		changed, err := s.Store.SetSetting(ctx, mem.Caller{}, "rotate.line", "null")
		if !changed || err != nil {
			t.Errorf("mended: %t, %v", changed, err)
		}
		s.Put("/b", "1")
	})
}

// Whatever is set, in whatever order: a value is in force or was refused, the file is right after
// each, and with everything removed it says nothing.
func TestSettings(t *testing.T) {
	list, err := storetest.NewStore(t, storetest.Memory).Store.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"decay.type_specific.note.half_life_hours",
		"decay.type_specific.finding.decay_enabled", "no.such"}
	for _, x := range list {
		names = append(names, x.Name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := storetest.NewStore(t, storetest.Memory)
		want := map[string]string{}
		for range rapid.IntRange(1, 12).Draw(rt, "changes") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			arg := rapid.SampledFrom([]string{"1", "0.5", "-1", "true", "off", `"1.0"`, "null",
				"[]", `["/x"]`, "{}"}).Draw(rt, "value")
			_, err := s.Store.SetSetting(context.Background(), mem.Caller{}, name, arg)
			switch {
			case err != nil && !errors.Is(err, mem.ErrInput):
				rt.Fatal(err)
			case err == nil && arg == "null":
				delete(want, name)
			case err == nil:
				want[name] = strings.Trim(arg, `"`)
			}
			isInForce(rt, s, want)
		}
		for name := range maps.Clone(want) {
			_, err := s.Store.SetSetting(context.Background(), mem.Caller{}, name, "null")
			s.Must(err)
			delete(want, name)
		}
		isInForce(rt, s, want)
	})
}

// isInForce checks that these settings, and no others, are from the file.
func isInForce(t *rapid.T, s *storetest.Store, want map[string]string) {
	list, err := s.Store.Settings(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, x := range list {
		// Of three weights of which one is named, the others are 0; a type without a half-life has
		// that of all.
		follows := strings.HasPrefix(x.Name, "weights.") ||
			strings.HasSuffix(x.Name, ".half_life_hours")
		if x.Origin != "default" && (want[x.Name] != "" || !follows) {
			got[x.Name] = x.Text()
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("in force %v, want %v; %v", got, want, s.Warnings)
	}
}

// A configuration that wants a table of chunks is taken, with one warning.
func TestConfigWithChunks(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Configure("{\n\"postgres\": {\"chunks\": true}}")
		s.Put("/a", `{"text":"x"}`)
		for range 2 {
			list, err := s.Store.Settings(t.Context(), "postgres.chunks")
			s.Must(err)
			x := list[0]
			if x.Effect || x.Text() != "true" || x.Origin != "config.json:2" {
				t.Errorf("%+v", x)
			}
		}
		if len(s.Warnings) != 1 ||
			!strings.HasPrefix(s.Warnings[0],
				"config.json: line 2: postgres.chunks no longer has ") {
			t.Errorf("warned: %q", s.Warnings)
		}
	})
}

// A log is told what happens: the lock, a compaction, and a damaged line as an error.
func TestLog(t *testing.T) {
	dir := storetest.NewStore(t, storetest.Files)
	dir.Dirty = true
	var out bytes.Buffer
	s, err := mem.Open(dir.Root, mem.Options{
		Now: func() time.Time { return storetest.Noon },
		Log: slog.New(logline.New(&out, logline.Options{Level: slog.LevelDebug,
			Now: func() time.Time { return storetest.Noon }})),
		Warn: func(msg string) { t.Errorf("warned: %s", msg) },
	})
	dir.Must(err)
	defer s.Close()
	_, err = s.Set(t.Context(), mem.Caller{}, storetest.Write("/a", "1"), mem.SetOptions{})
	dir.Must(err)
	told := func(want ...string) {
		t.Helper()
		var got []string
		for line := range strings.Lines(out.String()) {
			var r struct{ Level, Component, Message string }
			dir.Must(json.Unmarshal([]byte(line), &r))
			got = append(got, fmt.Sprintf("%s %s %.9s", r.Level, r.Component, r.Message))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("told %q, want %q", got, want)
		}
		out.Reset()
	}
	taken := []string{"DEBUG lock lock take", "DEBUG lock lock rele"}
	told(taken...)
	_, err = s.Compact(t.Context(), mem.Caller{}, mem.CompactOptions{})
	dir.Must(err)
	told(taken[0], taken[1], "INFO compact compactio", taken[0], taken[1], "INFO compact compactio")
	f, err := os.OpenFile(dir.File(log.File), os.O_APPEND|os.O_WRONLY, 0)
	dir.Must(err)
	_, err = f.WriteString("{no line\n")
	dir.Must(err)
	dir.Must(f.Close())
	dir.Must(s.List(t.Context(), mem.Caller{}, mem.Filter{}, func(log.Record) error { return nil }))
	told("ERROR store log.jsonl")
	s.Logger().Info("of a view", logline.Session, "s")
	told("INFO store of a view")
}
