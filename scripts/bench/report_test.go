package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCells(t *testing.T) {
	two, four := samples(2), samples(4)
	tests := []struct {
		name string
		row  row
		want string
	}{
		{"a goal that is met", over("a", two, "b", four, atMost(0.5)), "a|2.00 ms (2.00 ms)|b|4.00 ms (4.00 ms)|0.50 ×|≤ 0.5 ×|yes"},
		{"a goal that is missed", over("a", four, "b", two, atMost(1.5)), "a|4.00 ms (4.00 ms)|b|2.00 ms (2.00 ms)|2.00 ×|≤ 1.5 ×|**no**"},
		{"no goal", over("a", two, "b", two, goal{}), "a|2.00 ms (2.00 ms)|b|2.00 ms (2.00 ms)|1.00 ×||"},
		{"a figure of its own", alone("a", two).measuredAs(61, "MB/s", atLeast(50)), "a|2.00 ms (2.00 ms)|||61.0 MB/s|≥ 50 MB/s|yes"},
		{"a floor by itself", alone("a", two), "a|2.00 ms (2.00 ms)|||||"},
		{"not measured", missing("a", "no jq"), "a||||||not measured: no jq"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(tt.row.cells(), "|"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCellsCannotBreakTheTable(t *testing.T) {
	for _, cell := range missing("a | b", "line one\nline two").cells() {
		if strings.Contains(strings.ReplaceAll(cell, `\|`, ""), "|") || strings.Contains(cell, "\n") {
			t.Errorf("the cell %q ends early", cell)
		}
	}
}

func TestDuration(t *testing.T) {
	tests := map[time.Duration]string{
		640 * time.Microsecond:  "640 µs",
		36200 * time.Nanosecond: "36.2 µs",
		2410 * time.Microsecond: "2.41 ms",
		142 * time.Millisecond:  "142 ms",
		1230 * time.Millisecond: "1.23 s",
	}
	for d, want := range tests {
		if got := duration(d); got != want {
			t.Errorf("duration(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestRecords(t *testing.T) {
	tests := map[int]string{0: "0 records", 999: "999 records", 1000: "1,000 records", 1234567: "1,234,567 records"}
	for n, want := range tests {
		if got := records(n); got != want {
			t.Errorf("records(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestReportSaysWhereAndWhen(t *testing.T) {
	var out strings.Builder
	report{
		now:      time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC),
		quick:    true,
		facts:    []fact{{"kernel", "6.1"}},
		sections: []section{{"set", "About set.", []row{alone("a", samples(1))}}},
	}.write(&out)
	for _, want := range []string{"2026-02-22T10:00:00Z", "- kernel: 6.1\n", "quick run", "## set\n\nAbout set.\n", "| a | 1.00 ms (1.00 ms) |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the report:\n%s", want, out.String())
		}
	}
}

func TestMountIn(t *testing.T) {
	const mounts = "/dev/vda / ext4 rw,relatime 0 0\ntmpfs /dev/shm tmpfs rw 0 0\nold /data xfs rw 0 0\nnew /data btrfs ro 0 0\n"
	tests := map[string]string{
		"/work/x":      "ext4 (rw,relatime)",
		"/dev/shm/a":   "tmpfs (rw)",
		"/dev/shmoo":   "ext4 (rw,relatime)",
		"/data/stores": "btrfs (ro)",
	}
	for path, want := range tests {
		if got := mountIn(mounts, path); got != want {
			t.Errorf("mountIn(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestParseOptions(t *testing.T) {
	opt, err := parseOptions([]string{"-only", "set,get", "-quick", "-now", "2026-02-22T10:00:00Z"})
	if err != nil || !slices.Equal(opt.only, []string{"set", "get"}) || !opt.quick || opt.now.Year() != 2026 {
		t.Errorf("parseOptions = %+v, %v", opt, err)
	}
	for _, args := range [][]string{{"-only", "sett"}, {"-now", "today"}, {"extra"}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("parseOptions took %q", args)
		}
	}
}
