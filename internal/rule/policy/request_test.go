package policy

import (
	"errors"
	"testing"
)

func TestCheckList(t *testing.T) {
	t.Parallel()
	if err := CheckList("tags", MaxList); err != nil {
		t.Error(err)
	}
	err := CheckList("tags", MaxList+1)
	if !errors.Is(err, ErrInput) || err.Error() != "tags: 1001 entries, at most 1000" {
		t.Errorf("got %v", err)
	}
}
