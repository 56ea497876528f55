package screen

import (
	"fmt"
	"time"
)

// Age returns how long ago something was, in the largest unit that it reaches: 3s, 5m, 47h, 12d.
// What lies ahead is 0s.
func Age(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Layout is how people are shown a time, in their own zone.
const Layout = "2006-01-02 15:04:05"
