package e2e

import (
	"context"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
)

// ctx is that of every call.
var ctx = context.Background()

var noon, write = storetest.Noon, storetest.Write

// fixture is a store of files, with what only these tests ask of one.
type fixture struct{ *files }

type files = storetest.Store

func newStore(t testing.TB) *fixture { return &fixture{storetest.NewStore(t, storetest.Files)} }
