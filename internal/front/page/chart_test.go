package page

import (
	"testing"
	"time"
)

func TestChart(t *testing.T) {
	now := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	c := newChart("x", "What came in", "memory", "memories",
		map[string]int{"2026-02-27": 400, "2026-03-01": 1, "2026-01-01": 7}, now, 3)
	if c.Wide() != 30 || c.Total != 401 || c.Bars[0] != (bar{"2026-02-27", 400, 0, 0, 100}) ||
		c.Bars[1] != (bar{"2026-02-28", 0, 10, 100, 0}) ||
		c.Bars[2] != (bar{"2026-03-01", 1, 20, 98, 2}) {
		t.Errorf("%+v", c)
	}
	if got := c.Summary(); got != "401 memories in 3 days, most on 2026-02-27: 400." {
		t.Error(got)
	}
	one := newChart("x", "", "memory", "memories", map[string]int{"2026-03-01": 1}, now, 3)
	if got := one.Summary(); got != "1 memory in 3 days, most on 2026-03-01: 1." {
		t.Error(got)
	}
	if thousands(-1234567) != "-1,234,567" || thousands(999) != "999" {
		t.Error(thousands(-1234567))
	}
	got := newChart("x", "", "", "", nil, now, 3).Summary()
	if got != "Nothing in the last 3 days." {
		t.Error(got)
	}
}
