package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
)

// What only other verbs write is refused in one line however much it is, and nothing is stored;
// with Force all of it is.
func TestImportOfWhatOtherVerbsWrite(t *testing.T) {
	var lines strings.Builder
	for i := range 30 {
		fmt.Fprintf(&lines, "{\"key\":\"/agent/ada/core/%026d\",\"content\":{\"text\":\"x\"}}\n", i)
	}
	lines.WriteString("{\"key\":\"/fine\",\"content\":1}\n")
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		for _, c := range []struct {
			text          string
			o             transfer.ImportOptions
			refused, done int
			says          string
		}{
			{lines.String(), transfer.ImportOptions{}, 30, 0,
				"mem import does not write there (and 29 more like it)"},
			{lines.String() + "{", transfer.ImportOptions{}, 31, 0, "(and 29 more like it)\n"},
			{lines.String(), transfer.ImportOptions{KeepGoing: true}, 30, 1, "(and 29 more"},
			{lines.String(), transfer.ImportOptions{Force: true}, 0, 30, ""},
		} {
			in := transfer.Incoming{Stream: strings.NewReader(c.text)}
			rep, err := transfer.Import(context.Background(), s.Store, mem.Caller{}, in, c.o)
			if rep.Refused != c.refused || rep.New != c.done || (err == nil) != (c.says == "") {
				t.Errorf("%+v: %+v, %v", c.o, rep, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) ||
				!errors.Is(err, policy.ErrReserved)) {
				t.Errorf("%+v: %v", c.o, err)
			}
		}
	})
}
