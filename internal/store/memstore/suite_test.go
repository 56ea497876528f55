package memstore_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
)

func TestSuite(t *testing.T) {
	storetest.Run(t, func(testing.TB) backend.Backend {
		return memstore.New(func() time.Time { return storetest.Noon })
	})
}
