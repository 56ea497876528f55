package log_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/log"
)

func drawStamp(t *rapid.T, label string) log.Stamp {
	return log.Stamp(rapid.Int64Range(int64(log.MinStamp), int64(log.MaxStamp)).Draw(t, label))
}

func TestStampOrderIsTextOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawStamp(rt, "a"), drawStamp(rt, "b")
		if (a < b) != (a.String() < b.String()) || (a == b) != (a.String() == b.String()) {
			rt.Fatalf("%d is %s, %d is %s", a, a, b, b)
		}
	})
}

func TestStampRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawStamp(rt, "stamp")
		text := s.String()
		if got, err := log.ParseTime(text); err != nil || got != s ||
			len(text) != len(log.StampLayout) || !strings.HasSuffix(text, "Z") {
			rt.Fatalf("%d is %s and back %d, %v", s, text, got, err)
		}
		if log.StampOf(s.Time()) != s || s.Time().Location() != time.UTC ||
			s.Time().Format(log.StampLayout) != text {
			rt.Fatalf("%d is the time %s", s, s.Time())
		}
	})
}

func TestStampTexts(t *testing.T) {
	t.Parallel()
	for text, s := range map[string]log.Stamp{
		"0000-01-01T00:00:00.000000Z": log.MinStamp,
		"9999-12-31T23:59:59.999999Z": log.MaxStamp,
		"1970-01-01T00:00:00.000000Z": 0,
		"1969-12-31T23:59:59.999999Z": -1,
		"1901-12-13T20:45:52.000000Z": -(1 << 31) * 1_000_000,
		"2024-02-29T00:00:00.000000Z": 1709164800_000000,
		"2000-02-29T00:00:00.000000Z": 951782400_000000,
	} {
		if got, err := log.ParseTime(text); err != nil || got != s || s.String() != text {
			t.Errorf("%s: %d, %v; %d is %s", text, got, err, s, s)
		}
	}
}

func TestStampOfCutsDown(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Time]string{
		time.Date(2026, 2, 22, 10, 0, 0, 999_999_999,
			time.UTC): "2026-02-22T10:00:00.999999Z",
		time.Date(1901, 2, 22, 10, 0, 0, 1_999,
			time.UTC): "1901-02-22T10:00:00.000001Z",
		time.Date(2026, 2, 22, 10, 0, 0, 0,
			time.FixedZone("", 8*3600)): "2026-02-22T02:00:00.000000Z",
		time.Date(2026, 2, 22, 10, 0, 0, 500_000_000,
			time.FixedZone("", -(3*3600+30*60))): "2026-02-22T13:30:00.500000Z",
	} {
		if got := log.StampOf(at).String(); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}

func TestParseTimeSpellings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-02-22T10:00:00Z":               "2026-02-22T10:00:00.000000Z",
		"2026-02-22T10:00:00.5Z":             "2026-02-22T10:00:00.500000Z",
		"2026-02-22T10:00:00.123456789Z":     "2026-02-22T10:00:00.123456Z",
		"2026-02-22T18:00:00+08:00":          "2026-02-22T10:00:00.000000Z",
		"2026-02-22T18:00:00.25+08:00":       "2026-02-22T10:00:00.250000Z",
		"2026-02-22T04:30:00-05:30":          "2026-02-22T10:00:00.000000Z",
		"2026-02-22T18:00+08:00":             "2026-02-22T10:00:00.000000Z",
		"2026-02-22T10:00Z":                  "2026-02-22T10:00:00.000000Z",
		"2026-02-22T10:00:00":                "2026-02-22T10:00:00.000000Z",
		"2026-02-22T10:00:00.25":             "2026-02-22T10:00:00.250000Z",
		"2026-02-22T10:00":                   "2026-02-22T10:00:00.000000Z",
		"2026-02-22":                         "2026-02-22T00:00:00.000000Z",
		"2026-02-22 10:00:00":                "2026-02-22T10:00:00.000000Z",
		"2026-02-22 18:00:00+08:00":          "2026-02-22T10:00:00.000000Z",
		"2026-02-22 10:00:00.25Z":            "2026-02-22T10:00:00.250000Z",
		"  2026-02-22T10:00:00Z\n":           "2026-02-22T10:00:00.000000Z",
		"9999-12-31T23:59:59.9999999Z":       "9999-12-31T23:59:59.999999Z",
		"0000-01-01T00:00:00Z":               "0000-01-01T00:00:00.000000Z",
		"1900-01-01T00:00:00+00:00":          "1900-01-01T00:00:00.000000Z",
		"2026-02-22T10:00:00.0000000000000Z": "2026-02-22T10:00:00.000000Z",
	} {
		if got, err := log.ParseTime(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestParseTimeRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "now", "1771754400", "2026", "2026-02", "22.02.2026", "02/22/2026", "10:00",
		"2026-02-31T10:00:00.000000Z", "2026-02-31T10:00:00Z", "2026-02-30",
		"2025-02-29T00:00:00.000000Z", "1900-02-29", "2026-04-31T00:00:00.000000Z",
		"2026-00-22T10:00:00.000000Z", "2026-13-22T10:00:00.000000Z", "2026-02-00T10:00:00.000000Z",
		"2026-02-22T24:00:00.000000Z",
		"2026-02-22T10:60:00.000000Z", "2026-02-22T10:00:60.000000Z", "2026-02-22T25:00:00Z",
		"2026-02-22T10:00:61Z",
		"2026-02-22T10:00:00.00000xZ", "2026-02-22T10:00:00.-00001Z", "+026-02-22T10:00:00.000000Z",
		"２026-02-22T10:00:00Z",
		"2026-02-22t10:00:00z", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
		"2026-02-22T10:00:00 UTC",
		"9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "2026-02-22T10:00:00.000000Z2026",
		strings.Repeat("2", 10_000),
	} {
		got, err := log.ParseTime(text)
		if !errors.Is(err, log.ErrTime) {
			t.Errorf("%q: %s, %v", text, got, err)
		} else if len(err.Error()) > 200 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	}
}

func TestParseTimeOfEveryDay(t *testing.T) {
	t.Parallel()
	day := log.MinStamp.Time()
	for year := range 10_000 {
		for month := 1; month <= 12; month++ {
			for date := 1; date <= 32; date++ {
				text := fmt.Sprintf("%04d-%02d-%02dT12:34:56.789012Z", year, month, date)
				got, err := log.ParseTime(text)
				if day.Day() != date {
					if err == nil {
						t.Fatalf("%s is %s", text, got)
					}
					break
				}
				if want := log.StampOf(day) + 45_296_789_012; err != nil || got != want {
					t.Fatalf("%s: %d, %v; want %d", text, got, err, want)
				}
				day = day.AddDate(0, 0, 1)
			}
		}
	}
}

func TestNextStamp(t *testing.T) {
	t.Parallel()
	at := log.StampOf(now)
	for _, c := range []struct {
		name         string
		now          time.Time
		newest, want log.Stamp
	}{
		{"a clock that runs", now, at - 5_000_000, at},
		{"a store without a record", now, log.MinStamp, at},
		{"two in a microsecond", now, at, at + 1},
		{"a clock that stepped back", now, at + 3_600_000_000, at + 3_600_000_001},
		{"a clock of 1901", time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC), log.MinStamp,
			log.StampOf(time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC))},
		{"a clock of 1901 after today", time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC), at, at + 1},
		{"the last one", now, log.MaxStamp - 1, log.MaxStamp},
		{"the last one by the clock", log.LastClock.Time(), at, log.LastClock},
		{"after that", now, log.LastClock, log.LastClock + 1},
	} {
		if got, err := log.NextStamp(c.now, c.newest); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestNextStampRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now    time.Time
		newest log.Stamp
	}{
		"after the last one":     {now, log.MaxStamp},
		"after more than that":   {now, 1<<63 - 1},
		"a clock past year 9999": {log.MaxStamp.Time().Add(time.Microsecond), 0},
		"a clock past year 9998": {log.LastClock.Time().Add(time.Microsecond), 0},
		"a clock before year 0":  {log.MinStamp.Time().Add(-time.Microsecond), -1 << 63},
	} {
		if got, err := log.NextStamp(c.now, c.newest); !errors.Is(err, log.ErrTime) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestNextStampNeverStepsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		clock, newest := drawStamp(rt, "clock"), drawStamp(rt, "newest")
		got, err := log.NextStamp(clock.Time(), newest)
		switch {
		case (err != nil) != (newest == log.MaxStamp || clock > log.LastClock):
			rt.Fatal(err)
		case err == nil && (got <= newest || got < clock || got > log.MaxStamp ||
			got.String() <= newest.String()):
			rt.Fatalf("after %s at %s comes %s", newest, clock, got)
		}
	})
}
