package compact_test

import (
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
