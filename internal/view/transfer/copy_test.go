package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/log"
)

// Everything arrives, tombstones and what no read shows too.
func TestCopy(t *testing.T) { eachPair(t, testCopy) }

func testCopy(t *testing.T, p *pair) {
	fill(p.from)
	rep := p.copies()
	p.counts(rep, 11)
	got := ""
	for _, at := range rep.Prefixes {
		if len(at.Sum) != 64 {
			t.Errorf("sum %q", at.Sum)
		}
		got += fmt.Sprintf("%s %d ", at.Prefix, at.Memories)
	}
	if want := "/ 1 /agent 1 /event 1 /note 1 /session 1 /untrusted 1 /user 1 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	journal, err := p.to.Journal("ops.jsonl").Read(1 << 20)
	p.to.Must(err)
	if n := strings.Count(string(journal), `"op":"copy"`); n != 1 {
		t.Errorf("%d lines in the journal: %s", n, journal)
	}
}

// A copy goes on being a memory: numbers are not given again, and what comes later is later.
func TestTheCopyIsWrittenTo(t *testing.T) { eachPair(t, testTheCopyIsWrittenTo) }

func testTheCopyIsWrittenTo(t *testing.T, p *pair) {
	fill(p.from)
	p.from.Clock = p.from.Clock.Add(time.Hour)
	p.from.Put("/flat", `"from ahead"`)
	p.copies()
	if out := p.to.Put("/flat", `3`); out.TS <= log.StampOf(p.from.Clock) {
		t.Errorf("%s", out.TS)
	}
	op, err := p.to.Begin(mem.Caller{}, policy.VerbNamed("note"))
	p.to.Must(err)
	_, err = op.Update(ctx, func(tx *mem.Tx) error {
		if n, err := tx.NextNumber(ctx, "note"); n != 8 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		return nil
	})
	p.to.Must(err)
}

// A copy that is stopped after any batch says how far it came. What it left is refused, and a new
// target gets all.
func TestStoppedAnywhere(t *testing.T) { eachPair(t, testStoppedAnywhere) }

func testStoppedAnywhere(t *testing.T, p *pair) {
	defer transfer.SetLimits(2, 1)()
	fill(p.from)
	disorder(p.from)
	lines, batches := 11, 6
	if p.from.Root != "" {
		lines, batches = 11+5+8, 9 // five lines are in two files
	}
	for stop := 1; stop < batches; stop++ {
		stopped, cancel := context.WithCancelCause(ctx)
		left := stop
		p.progress = func(int) {
			if left--; left == 0 {
				cancel(errPulled)
			}
		}
		rep, err := transfer.Copy(stopped, mem.Caller{}, p.job())
		var partial *mem.PartialError
		isPartial := errors.As(err, &partial) && partial.Total == lines &&
			partial.Stored == rep.Versions
		if !errors.Is(err, errPulled) || !isPartial {
			t.Fatalf("stopped after %d: %+v %v", stop, rep, err)
		}
		p.progress = nil
		_, err = transfer.Copy(ctx, mem.Caller{}, p.job())
		p.refused("cut short", err, mem.KindInput, "TO is not empty")
		p.renew()
	}
	p.copies()
}

// What a purge has left keeps an old copy from bringing the key back.
func TestPurgeMark(t *testing.T) { eachPair(t, testPurgeMark) }

func testPurgeMark(t *testing.T, p *pair) {
	p.from.Put("/secret/plan", `"attack at dawn"`)
	p.from.Put("/other", `1`)
	old := p.from.Logged()
	p.purge("/secret/plan")
	p.copies()
	if logged := p.to.Logged(); strings.Contains(logged, "dawn") {
		t.Error(logged)
	}
	if list := versions(p.to)["/secret/plan"]; len(list) != 1 || !content.IsPurgeMark(list[0]) {
		t.Errorf("%+v", list)
	}
	rep, err := p.to.SetAll(ctx, mem.Caller{}, strings.NewReader(old), mem.BatchOptions{})
	if err != nil || rep.Written != 0 || rep.Purged != 1 {
		t.Errorf("%+v %v", rep, err)
	}
}

// What is written to the source meanwhile comes along; one that never rests is told.
func TestWrittenMeanwhile(t *testing.T) { eachPair(t, testWrittenMeanwhile) }

func testWrittenMeanwhile(t *testing.T, p *pair) {
	fill(p.from)
	writes := 0
	p.progress = func(int) {
		if writes++; writes <= 3 {
			p.from.Put("/meanwhile", fmt.Sprint(writes))
			p.from.Put(fmt.Sprint("/new/", writes), `1`)
		}
	}
	p.counts(p.copies(), 17)
	p.renew()
	p.progress = func(int) { p.from.Put("/busy", `1`) }
	rep, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	p.refused("busy", err, mem.KindLocked, "FROM was written to meanwhile")
	p.counts(rep, 17+5)
}

// What expires before the newest write of a store that is ahead of the clock may have left one of
// the two already.
func TestExpiredAheadOfTheClock(t *testing.T) { eachPair(t, testExpiredAheadOfTheClock) }

func testExpiredAheadOfTheClock(t *testing.T, p *pair) {
	p.from.Put("/over", `{"text":"x","expired_at":"2026-02-22T13:00:00Z"}`)
	p.from.Clock = p.from.Clock.Add(10 * time.Hour)
	p.from.Put("/ahead", `1`)
	_, err := p.from.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	p.from.Must(err)
	p.from.Clock = p.to.Clock
	if _, err := transfer.Copy(ctx, mem.Caller{}, p.job()); err != nil {
		t.Error(err)
	}
}

// A dry run says what a copy would do, and leaves nothing.
func TestCopyDryRun(t *testing.T) { eachPair(t, testCopyDryRun) }

func testCopyDryRun(t *testing.T, p *pair) {
	fill(p.from)
	artifact(p.from, 1, "the bytes")
	p.from.Configure(`{"memory":{"max_total":7}}`)
	job := p.job()
	job.DryRun = true
	rep, err := transfer.Copy(ctx, mem.Caller{}, job)
	p.from.Must(err)
	p.counts(rep, 12)
	if p.to.Made() {
		t.Error("the target was made")
	}
	want := p.copies()
	want.DryRun = true
	if fmt.Sprint(rep) != fmt.Sprint(want) {
		t.Errorf("%+v, and then %+v", rep, want)
	}
}
