package log

import (
	"fmt"
	"strings"
	"time"
)

// Stamp is an instant in microseconds since 1970 UTC: the order of writes. Its text always
// has six decimals and ends in Z, so the order of texts is the order of times.
type Stamp int64

// StampLayout is the text of a Stamp, for [time.Time.Format] of a UTC time.
const StampLayout = "2006-01-02T15:04:05.000000Z"

// Day is 24 hours.
const Day = Stamp(24 * time.Hour / time.Microsecond)

// The first and the last instant that a four-digit year can write.
var (
	MinStamp = StampOf(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
	MaxStamp = StampOf(time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC))
)

// LastClock is the last time that a clock may say: a year follows it, which has room for
// more stamps than a store can write, so that no write takes the room of the later ones.
var LastClock = StampOf(time.Date(9998, 12, 31, 23, 59, 59, 999999000, time.UTC))

// StampOf cuts a time down to its microsecond.
func StampOf(t time.Time) Stamp { return Stamp(t.UnixMicro()) }

// Time returns the instant in UTC.
func (s Stamp) Time() time.Time { return time.UnixMicro(int64(s)).UTC() }

func (s Stamp) String() string { return s.Time().Format(StampLayout) }

// MarshalText returns the text of [Stamp.String], so that it stands in JSON as it does in the log.
func (s Stamp) MarshalText() ([]byte, error) { return s.appendText(nil), nil }

// UnmarshalText reads what [ParseTime] does.
func (s *Stamp) UnmarshalText(text []byte) (err error) {
	*s, err = ParseTime(string(text))
	return err
}

// appendText appends the 27 bytes of the text.
func (s Stamp) appendText(dst []byte) []byte { return s.Time().AppendFormat(dst, StampLayout) }

// timeLayouts are the spellings of ISO 8601 that are understood on reading, besides RFC 3339:
// hand-written records, expiry dates, and the other tools' exports leave out seconds, zones or the
// time of day. Without a zone the time is UTC.
var timeLayouts = [...]string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
	"2006-01-02",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
}

// ParseTime reads an ISO 8601 time in the spellings people and tools write. The error wraps
// [ErrTime] and names the text.
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
	return 0, fmt.Errorf("%w: %q: want RFC 3339 like 2026-02-22T10:00:00Z, "+
		"or a day like 2026-02-22", ErrTime, shorten(text))
}

// parseCanonical reads StampLayout, with or without its decimals, many times as fast as time.Parse:
// every line of every scan has one.
func parseCanonical[T string | []byte](s T) (Stamp, bool) {
	whole := len(s) == len("2006-01-02T15:04:05Z")
	switch {
	case !whole && (len(s) != len(StampLayout) || s[19] != '.'):
		return 0, false
	case s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' ||
		s[len(s)-1] != 'Z':
		return 0, false
	}
	ok := true
	num := func(from, to int) int {
		n := 0
		for i := from; i < to; i++ {
			ok = ok && '0' <= s[i] && s[i] <= '9'
			n = n*10 + int(s[i]-'0')
		}
		return n
	}
	year, month, day := num(0, 4), num(5, 7), num(8, 10)
	hour, minute, second, micro := num(11, 13), num(14, 16), num(17, 19), 0
	if !whole {
		micro = num(20, 26)
	}
	if !ok || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 ||
		minute > 59 || second > 59 {
		return 0, false
	}
	return Stamp(days(year, month, day))*86_400e6 + Stamp((hour*60+minute)*60+second)*1e6 +
		Stamp(micro), true
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	}
	return 30 + (month+month/8)%2
}

// days counts from 1970-01-01. A year is taken to begin in March, so that the leap day is its last.
func days(year, month, day int) int {
	const to1970 = 719468 + 146097 // from 1 March of the year 400 before year 0
	y, m := year+400, month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	return y*365 + y/4 - y/100 + y/400 + (153*m+2)/5 + day - 1 - to1970
}

// shorten returns a text that is no time, short enough for a message.
func shorten(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "..."
	}
	return text
}
