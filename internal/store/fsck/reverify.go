package fsck

import (
	"cmp"
	"errors"
	"strings"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Reverify checks again, under the lock, what the last Run found in the index, the watermark and
// the log's tail. It reads the writes since, and the files in question, and nothing else. What Run
// found elsewhere is kept.
func (c *Checker) Reverify() ([]Finding, error) {
	suspects := c.findings
	c.findings = nil
	defer c.close()
	if err := c.open(); err != nil {
		return nil, err
	}
	moved := c.live == nil || c.live.Ino() != c.ino
	if err := c.catchUp(moved); err != nil {
		return nil, err
	}
	c.findings = append(c.findings, c.clock.future()...)
	seen := map[string]bool{}
	for _, f := range suspects {
		if err := c.recheck(f, moved, seen); err != nil {
			return nil, err
		}
	}
	if err := cmp.Or(c.checkTaken(), c.watermark()); err != nil {
		return nil, err
	}
	if err := (blobCheck{c}).recheck(selectFindings(suspects, blobChecks...)); err != nil {
		return nil, err
	}
	return c.sorted(), nil
}

// catchUp folds the writes since the last check. After a rotation that is what the new segments
// hold; folding a line twice changes nothing.
func (c *Checker) catchUp(moved bool) error {
	if !moved && c.live.Size() >= c.end.Off {
		return c.checkLive(c.end)
	}
	for _, name := range c.archives {
		if !c.known[name] {
			if err := c.checkArchive(name); err != nil {
				return err
			}
		}
	}
	return c.checkLive(log.Start{})
}

// recheck checks one suspect again.
func (c *Checker) recheck(f Finding, moved bool, seen map[string]bool) error {
	name, inIndex := strings.CutPrefix(f.File, index.DirName+"/")
	switch {
	case len(selectFindings([]Finding{f}, blobChecks...)) > 0:
		return nil // checked with the others of its kind
	case inIndex:
		if seen[name] {
			return nil
		}
		seen[name] = true
		return indexCheck{c}.againFile(name, f)
	case f.Check == checkTorn.ID, f.Check == checkWatermark.ID,
		moved && f.File == log.File && f.Line > 0:
		return nil // checked anew
	}
	c.findings = append(c.findings, f)
	return nil
}

// againFile checks one path of the index again. A finding below something irregular is kept.
func (c indexCheck) againFile(name string, was Finding) error {
	e, err := c.lookAt(name)
	switch {
	case errors.Is(err, disk.ErrIrregular):
		c.findings = append(c.findings, was)
		return nil
	case disk.IsNotExist(err):
		c.missing(name, was.Key)
		return nil
	case err != nil:
		return err
	}
	c.entry(e, map[string]bool{})
	return nil
}

func (c indexCheck) lookAt(name string) (f indexFile, err error) {
	if c.tree == nil {
		return f, disk.ErrIrregular
	}
	if f.Entry, err = c.tree.Look(name); err == nil &&
		(f.Kind == index.KindFile || f.Kind == index.KindForeign) {
		f.text, err = c.tree.ReadPath(name)
	}
	return f, err
}

// missing reports a live key that has no file.
func (c indexCheck) missing(name, key string) {
	k, err := keypath.Parse(key)
	if err != nil {
		return
	}
	rec, known := c.fold[k]
	if known && rec.Valid() && string(k.Path()) == name && !c.mayBeGone(rec) {
		c.findMissing(name, k)
	}
}
