package analyzer

import (
	_ "embed"
	"sync"
)

//go:embed same_terms.txt
var SameTerms string

// SameTerm leads the stem of a word to the stem of another that people use for it. SameTerms has
// the stems of SameWords, so that no process has to compute them.
var SameTerm = sync.OnceValue(func() map[string]string { return leads(SameTerms) })

// SameWords are groups whose meanings are close enough that a search for one word wants the others.
// Client and customer are no group, for "custom" is a word of its own with the stem of customer;
// nor is ship, for "ship it" is small talk.
const SameWords = `cart basket| revert rollback| login signin logon| delete remove erase purge|
signup registration| refund reimburse reimbursement| staging preprod| flaky flake intermittent|
outage downtime| sunset deprecate| colleague coworker teammate| dedup deduplicate| email mail|
lawyer attorney| doctor physician| car automobile vehicle| fast quick| big large huge| start begin
commence| finish complete| allow permit| forbid prohibit ban disallow| choose pick select| fix
repair| buy purchase| hide conceal| show display| slow sluggish| cost price| fetch retrieve| invoice
bill| notify alert| deploy release rollout| bug defect| crash segfault| employee staff| salary wage|
laptop notebook| optimize optimise| memoize memo| convention guideline| webhook callback| backup
snapshot| limit quota| shortcut hotkey| freeze moratorium`
