package pgtest_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// A standby has what the server had, follows it, and stands still where it is told to.
func TestStandby(t *testing.T) {
	server := pgtest.Own(t, "fsync=off")
	server.SQL(t, "postgres", "CREATE TABLE a (n int); INSERT INTO a VALUES (1)")
	standby := server.Standby(t)
	count := func() string { return standby.SQL(t, "postgres", "SELECT count(*) FROM a") }
	if got := count(); got != "1\n" {
		t.Errorf("it begins with %s", got)
	}
	standby.Pause(t)
	server.SQL(t, "postgres", "INSERT INTO a VALUES (2)")
	time.Sleep(50 * time.Millisecond)
	if got := count(); got != "1\n" {
		t.Errorf("it went on to %s", got)
	}
	standby.Resume(t)
	for range 1000 {
		if count() == "2\n" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it does not follow")
}
