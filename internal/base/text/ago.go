package text

import (
	"fmt"
	"time"
)

// Ago returns an age in the largest unit that it reaches.
func Ago(age time.Duration) string {
	switch {
	case age < -time.Minute:
		return "in the future"
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return fmt.Sprintf("%d min ago", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h ago", age/time.Hour)
	}
	return fmt.Sprintf("%d days ago", age/(24*time.Hour))
}
