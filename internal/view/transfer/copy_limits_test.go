package transfer

// SetLimits makes batches smaller, and what is sorted at once, until the test calls restore.
func SetLimits(versions, late int) (restore func()) {
	oldVersions, oldLate := batchVersions, lateBytes
	batchVersions, lateBytes = versions, late
	return func() { batchVersions, lateBytes = oldVersions, oldLate }
}
