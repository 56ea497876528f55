package page

import (
	"net/http"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/forget"
	"github.com/set-memory/mem/keypath"
)

// purgeData is what would go for good, or what the proof has found when it is gone.
type purgeData struct {
	place
	Match  forget.Match
	Proof  backend.Proof
	Failed string
}

func purgeForm(v *visit, at place) error {
	found, err := forget.Ever(v.ctx(), at.store, v.o.Caller,
		forget.Selection{Keys: []keypath.Key{at.Key}})
	if err != nil {
		return err
	}
	if len(found.Matches) == 0 {
		return &mem.NotFoundError{Key: at.Key}
	}
	data := purgeData{place: at, Match: found.Matches[0]}
	return v.show("purge", "Delete this memory permanently?", data)
}

func purgeMemory(v *visit, at place) error {
	form := v.r.PostForm
	proof, err := mem.Purge(v.ctx(), at.store, v.o.Caller, mem.PurgeOptions{
		Keys:   []keypath.Key{at.Key},
		Reason: strings.TrimSpace(form.Get("reason")), ForgetKeys: form.Get("key_too") != ""})
	switch {
	case err != nil && len(proof.Remains) == 0:
		return err
	case proof.Versions == 0:
		return &mem.NotFoundError{Key: at.Key}
	}
	data, status := purgeData{place: at, Proof: proof}, http.StatusOK
	if err != nil {
		status, data.Failed = statusOf(err), mem.Message(err)
	}
	v.send(status, "purged", "Deleted for good", data)
	return nil
}
