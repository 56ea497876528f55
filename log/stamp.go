package log

import (
	"fmt"
	"strings"
	"time"
)

// Stamp is an instant in microseconds since 1970 UTC: the order of writes (M-24). Its text always has six decimals and
// ends in Z, so the order of texts is the order of times.
type Stamp int64

// StampLayout is the text of a Stamp, for [time.Time.Format] of a UTC time.
const StampLayout = "2006-01-02T15:04:05.000000Z"

// The first and the last instant that a four-digit year can write.
var (
	MinStamp = StampOf(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
	MaxStamp = StampOf(time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC))
)

// StampOf cuts a time down to its microsecond.
func StampOf(t time.Time) Stamp { return Stamp(t.UnixMicro()) }

// Time gives the instant in UTC.
func (s Stamp) Time() time.Time { return time.UnixMicro(int64(s)).UTC() }

func (s Stamp) String() string { return s.Time().Format(StampLayout) }

// AppendText appends the 27 bytes of the text.
func (s Stamp) appendText(dst []byte) []byte { return s.Time().AppendFormat(dst, StampLayout) }

// timeLayouts are the spellings of ISO 8601 that are understood on reading, besides RFC 3339: hand-written records,
// expiry dates, and the other tools' exports leave out seconds, zones or the time of day. Without a zone the time is UTC.
var timeLayouts = [...]string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
}

// ParseTime reads an ISO 8601 time in the spellings people and tools write. The error wraps [ErrTime] and names the text.
func ParseTime(text string) (Stamp, error) {
	if s, ok := parseCanonical(text); ok {
		return s, nil
	}
	trimmed := strings.TrimSpace(text)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, trimmed); err == nil {
			if s := StampOf(t); s >= MinStamp && s <= MaxStamp {
				return s, nil
			}
		}
	}
	return 0, fmt.Errorf("%w: %q: want RFC 3339 like 2026-02-22T10:00:00Z", ErrTime, clip(text))
}

// parseCanonical reads exactly StampLayout, several times as fast as time.Parse: every line of every scan has one.
func parseCanonical(s string) (Stamp, bool) {
	if len(s) != len(StampLayout) || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != '.' || s[26] != 'Z' {
		return 0, false
	}
	ok := true
	num := func(from, to int) int {
		n := 0
		for _, c := range []byte(s[from:to]) {
			ok = ok && '0' <= c && c <= '9'
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := num(0, 4), num(5, 7), num(8, 10)
	hour, minute, second, micro := num(11, 13), num(14, 16), num(17, 19), num(20, 26)
	t := time.Date(year, time.Month(month), day, hour, minute, second, micro*1000, time.UTC)
	// Date carries a 31st of February over into March; such a text is no time.
	if !ok || t.Month() != time.Month(month) || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return StampOf(t), true
}
