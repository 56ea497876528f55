package fsck

// The checks, for tests that break each.
var (
	CheckTorn       = checkTorn
	CheckLine       = checkLine
	CheckChecksum   = checkChecksum
	CheckFuture     = checkFuture
	CheckMissing    = checkMissing
	CheckStale      = checkStale
	CheckDuplicate  = checkDuplicate
	CheckForeign    = checkForeign
	CheckEdited     = checkEdited
	CheckState      = checkState
	CheckCheckpoint = checkCheckpoint
	CheckWatermark  = checkWatermark
	CheckMode       = checkMode
	CheckTemp       = checkTemp
	CheckIrregular  = checkIrregular
	CheckArchive    = checkArchive
	CheckUnsealed   = checkUnsealed
	CheckPurged     = checkPurged
	CheckAbsent     = checkAbsent
	CheckAltered    = checkAltered
	CheckUnnamed    = checkUnnamed
	CheckCopy       = checkCopy
)

// Suspect adds a finding as a check without the lock may have it.
func (c *Checker) Suspect(check Check, f Finding) { c.find(check, f, "suspected") }
