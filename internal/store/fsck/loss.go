package fsck

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/log"
)

// ErrNoLoss is returned for a file of which nothing is lost that a person could give up.
var ErrNoLoss = errors.New("no loss to accept")

// Loss returns what the history has lost with an archive, as the last Run found it. The error wraps
// ErrNoLoss, or is the file system's.
func (c *Checker) Loss(file string) (backend.Loss, error) {
	loss := backend.Loss{File: path.Clean(file)}
	found := selectFindings(c.findings, checkArchive)
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.File == loss.File }) {
		return loss, fmt.Errorf("%s: %w: %s", loss.File, ErrNoLoss, c.whyNoLoss(loss.File))
	}
	listed, err := filestore.ArchivesOf(c.cp)
	if err != nil {
		return loss, err
	}
	names := slices.Clone(c.archives)
	for _, a := range listed {
		names = append(names, a.Name)
		if a.Name == loss.File {
			if loss.Fault, err = a.Fault(c.Dir); err != nil {
				return loss, err
			}
		}
	}
	slices.SortFunc(names, log.CompareFiles)
	if i := slices.Index(names, loss.File); i > 0 {
		loss.After = timeText(log.ArchivedAt(names[i-1]))
	}
	loss.Until = timeText(log.ArchivedAt(loss.File))
	return loss, c.damage(&loss)
}

func timeText(ts log.Stamp) string {
	if ts == log.MinStamp {
		return ""
	}
	return ts.String()
}

// whyNoLoss says why a file has lost nothing that only a person can give up.
func (c *Checker) whyNoLoss(file string) string {
	place, ours := filestore.PlaceOf(file)
	listed, _ := filestore.ArchivesOf(c.cp) // of a checkpoint that cannot be read: none
	known := slices.Contains(c.archives, file) || slices.ContainsFunc(listed,
		func(a filestore.Archive) bool { return a.Name == file })
	switch {
	case slices.ContainsFunc(c.findings, func(f Finding) bool { return f.File == file }):
		return "a repair does what can be done about it"
	case known:
		return "it is as it was written"
	case ours && !place.Dir && path.Dir(file) != log.ArchiveDir:
		return "it is no archive"
	}
	return "this store has no such archive"
}

// damage adds the lines of the file that cannot be read, and counts the others.
func (c *Checker) damage(loss *backend.Loss) error {
	f, err := c.Dir.Open(loss.File)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer f.Close()
	for _, err := range log.ScanStrict(f, loss.File, log.Start{}) {
		d, damaged := errors.AsType[*log.Damage](err)
		switch {
		case err != nil && !damaged:
			return err
		case !damaged || log.Mend(d.Raw) != nil:
			loss.Kept++
		default:
			line := backend.LostLine{Line: d.Pos.Line, Key: log.ShownKey(d.Raw).String()}
			if ts := log.ShownTime(d.Raw); ts != 0 {
				line.TS = ts.String()
			}
			loss.Lines = append(loss.Lines, line)
		}
	}
	return nil
}
