package compact

import "github.com/set-memory/mem/log"

// Fit says how far a watermark may be believed of a log.
type Fit int

// From nothing to everything.
const (
	FitNone   Fit = iota // another file, shortened, changed: only the history decides
	FitReboot            // the log is as it was, but renames since the checkpoint may be lost
	FitExact             // the index mirrors the log up to Applied
)

// Judge compares a watermark with the log. trusted is whether the record itself was sound.
func Judge(w log.Watermark, trusted bool, live *log.Live, boot string) (Fit, error) {
	if !trusted || w.Ino != live.Ino() || w.Applied > live.Size() {
		return FitNone, nil
	}
	last, err := live.SumBefore(w.Applied)
	if err != nil || last != w.Last {
		return FitNone, err
	}
	// Without a boot id every index change is synced, and a reboot takes nothing away.
	if w.Boot != boot {
		return FitReboot, nil
	}
	return FitExact, nil
}
