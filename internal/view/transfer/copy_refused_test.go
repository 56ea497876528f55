package transfer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
)

// What the source forgets after a part was copied must not stay in the copy.
func TestPurgedMeanwhile(t *testing.T) { eachPair(t, testPurgedMeanwhile) }

func testPurgedMeanwhile(t *testing.T, p *pair) {
	defer transfer.SetLimits(1, 1)()
	p.from.Put("/secret/plan", `"attack at dawn"`)
	p.from.Put("/other", `1`)
	p.progress = func(done int) {
		if done == 1 {
			p.purge("/secret/plan")
		}
	}
	_, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	p.refused("purged", err, mem.KindLocked, "FROM was written to meanwhile")
}

// What is refused changes nothing.
func TestRefused(t *testing.T) { eachPair(t, testRefused) }

func testRefused(t *testing.T, p *pair) {
	_, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	why := "no store at FROM"
	if p.from.Root == "" {
		why = "no memories at FROM"
	}
	p.refused("nothing there", err, mem.KindInput, why)
	if p.to.Made() {
		t.Error("the target was made")
	}
	fill(p.from)
	_, err = transfer.Copy(ctx, mem.Caller{Agent: "ada"}, p.job())
	if !errors.As(err, new(*policy.PersonError)) {
		t.Errorf("an agent: %v", err)
	}
	p.to.Put("/mine", `1`)
	p.to.Put("/mine", `2`)
	_, err = transfer.Copy(ctx, mem.Caller{}, p.job())
	p.refused("has its own", err, mem.KindInput, "TO is not empty")
	if n := len(versions(p.to)); n != 1 {
		t.Errorf("%d keys in the target", n)
	}
}

// A target that another program writes to meanwhile is refused in the end.
func TestTargetWrittenMeanwhile(t *testing.T) { eachPair(t, testTargetWrittenMeanwhile) }

func testTargetWrittenMeanwhile(t *testing.T, p *pair) {
	defer transfer.SetLimits(1, 1)()
	p.from.Put("/a", `1`)
	p.from.Put("/b", `2`)
	p.to.Clock = p.from.Clock.Add(time.Hour)
	p.progress = func(int) { p.to.Put("/b", `3`) }
	_, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	p.refused("newer", err, mem.KindInput, "TO is not empty")
	if !errors.Is(err, backend.ErrOlder) {
		t.Errorf("%v", err)
	}
}

func TestSameStore(t *testing.T) {
	p := &pair{TB: t, from: storetest.NewStore(t, storetest.Files)}
	p.from.Put("/a", `1`)
	for path, why := range map[string]string{
		p.from.Root:           "from and to are the same store",
		p.from.Root + "/":     "from and to are the same store",
		p.from.Root + "/copy": "one of the stores would be inside the other",
		p.from.File(".."):     "one of the stores would be inside the other",
	} {
		s, err := mem.Open(path, mem.Options{})
		p.from.Must(err)
		p.to = &storetest.Store{Store: s, T: t}
		_, err = transfer.Copy(ctx, mem.Caller{}, p.job())
		p.refused(path, err, mem.KindInput, why)
		s.Close()
	}
	p.from = storetest.NewStore(t, storetest.Memory)
	p.to = p.from
	p.from.Put("/a", `1`)
	_, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	p.refused("in memory", err, mem.KindInput, "from and to are the same store")
}
