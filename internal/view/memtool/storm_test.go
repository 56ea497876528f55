package memtool_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/memtool"
)

// Agents that edit one file at the same time lose none of their lines, and of those that create or
// rename to one name, one succeeds.
func TestAgentsAtOnce(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		const agents, edits = 6, 12
		tool := func(i int) *memtool.Tool {
			return memtool.New(s.Store, mem.Caller{Agent: fmt.Sprint("agent", i)}, nil)
		}
		_, err := tool(0).Call(ctx, []byte(
			`{"command":"create","path":"/memories/log","file_text":"end"}`))
		s.Must(err)
		var all sync.WaitGroup
		won := make(chan string, agents*edits)
		for i := range agents {
			all.Go(func() {
				for n := range edits {
					own := tool(i)
					edit := fmt.Sprintf(`{"command":"insert","path":"/memories/log",`+
						`"insert_line":0,"insert_text":"<%d-%d>"}`, i, n)
					if text, err := own.Call(ctx, []byte(edit)); err != nil {
						t.Errorf("%s: %s", edit, text)
					}
					create := fmt.Sprintf(`{"command":"create","path":"/memories/%d",`+
						`"file_text":"%d"}`, n, i)
					if _, err := own.Call(ctx, []byte(create)); err == nil {
						won <- fmt.Sprint(n)
					}
				}
			})
		}
		all.Wait()
		close(won)
		text, err := tool(0).Call(ctx, []byte(`{"command":"view","path":"/memories/log"}`))
		s.Must(err)
		for i := range agents {
			for n := range edits {
				if strings.Count(text, fmt.Sprintf("<%d-%d>", i, n)) != 1 {
					t.Errorf("edit %d of agent %d is lost", n, i)
				}
			}
		}
		winners := map[string]int{}
		for n := range won {
			winners[n]++
		}
		for n := range edits {
			if winners[fmt.Sprint(n)] != 1 {
				t.Errorf("%d agents have created file %d", winners[fmt.Sprint(n)], n)
			}
		}
	})
}
