package cli

import (
	"strconv"
	"strings"
	"time"
)

// maxAgo bounds the number in "3 days ago".
const maxAgo = 1_000_000

// parseWords returns the time that plain words name, as people count at now, in its zone: now,
// today and yesterday (when they began), "last week", "2 days ago". last counts back from now.
func parseWords(text string, now time.Time) (at time.Time, ok bool) {
	words := strings.Fields(strings.ToLower(text))
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case len(words) == 1 && words[0] == "now":
		return now, true
	case len(words) == 1 && words[0] == "today":
		return midnight, true
	case len(words) == 1 && words[0] == "yesterday":
		return midnight.AddDate(0, 0, -1), true
	case len(words) == 2 && words[0] == "last":
		return timeBefore(now, 1, words[1])
	case len(words) == 3 && words[2] == "ago":
		n, err := strconv.Atoi(words[0])
		if words[0] == "a" || words[0] == "an" {
			n, err = 1, nil
		}
		if err == nil && n >= 0 && n <= maxAgo {
			return timeBefore(now, n, strings.TrimSuffix(words[1], "s"))
		}
	}
	return at, false
}

// timeBefore returns the time so many units before another one.
func timeBefore(now time.Time, n int, unit string) (at time.Time, ok bool) {
	switch unit {
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "day":
		return now.AddDate(0, 0, -n), true
	case "week":
		return now.AddDate(0, 0, -7*n), true
	case "month":
		return now.AddDate(0, -n, 0), true
	case "year":
		return now.AddDate(-n, 0, 0), true
	}
	return at, false
}
