package page

import (
	"net/http"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/purge"
)

// purgeData is what would go for good.
type purgeData struct {
	place
	Match forget.Match
}

// purgePlan returns what a purge of a memory would take.
func (v *visit) purgePlan() (data purgeData, err error) {
	if data.place, err = v.place(); err != nil {
		return data, err
	}
	found, err := forget.Ever(v.ctx(), data.store, v.caller(),
		forget.Selection{Keys: []keypath.Key{data.Key}})
	if err != nil {
		return data, err
	}
	if len(found.Matches) == 0 {
		return data, &mem.NotFoundError{Key: data.Key}
	}
	data.Match = found.Matches[0]
	return data, nil
}

func purgeForm(v *visit) error {
	data, err := v.purgePlan()
	if err != nil {
		return err
	}
	return v.show("purge", "Delete this memory permanently?", data)
}

// purgedData is what a purge did, and what its proof found.
type purgedData struct {
	place
	Proof  backend.Proof
	Others []purge.Place // the first of them
	Failed string
}

// maxOthers is how many places of other keys are listed.
const maxOthers = 20

func purgeMemory(v *visit) error {
	plan, err := v.purgePlan()
	if err != nil {
		return err
	}
	form := v.r.PostForm
	reason := strings.TrimSpace(form.Get("reason"))
	proof, err := mem.Purge(v.ctx(), plan.store, v.caller(), mem.PurgeOptions{
		Keys: []keypath.Key{plan.Key}, Reason: reason, ForgetKeys: form.Get("key_too") != ""})
	if err != nil && len(proof.Remains) == 0 {
		return err
	}
	data := purgedData{place: plan.place, Proof: proof,
		Others: proof.Others[:min(len(proof.Others), maxOthers)]}
	status := http.StatusOK
	if err != nil {
		status, data.Failed = statusOf(err), mem.Message(err)
	}
	v.send(status, "purged", "Deleted for good", data)
	return nil
}
