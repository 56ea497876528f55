package compact

import (
	"errors"
	"strings"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Recheck looks again, under the lock, at what the last Run found in the index, the watermark and the log's tail: without the lock a writer at
// work looks like damage. It reads what was written since, and the files in question, and nothing else, so writers wait for a moment however large
// the store is. What Run found elsewhere stands.
func (a *Audit) Recheck() ([]Finding, error) {
	suspects := a.findings
	a.findings = nil
	defer a.close()
	if err := a.open(); err != nil {
		return nil, err
	}
	moved := a.live == nil || a.live.Ino() != a.ino
	if err := a.catchUp(moved); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range suspects {
		if err := a.again(f, moved, seen); err != nil {
			return nil, err
		}
	}
	if err := a.watermark(); err != nil {
		return nil, err
	}
	return a.sorted(), nil
}

// catchUp folds what was written since the last look. After a rotation that is what stands in the new segments; folding a line twice changes nothing.
func (a *Audit) catchUp(moved bool) error {
	if !moved && a.live.Size() >= a.end.Off {
		return a.checkLive(a.end)
	}
	for _, name := range a.archives {
		if !a.known[name] {
			if err := a.checkArchive(name); err != nil {
				return err
			}
		}
	}
	return a.checkLive(log.Start{})
}

// again looks at one suspect.
func (a *Audit) again(f Finding, moved bool, seen map[string]bool) error {
	name, inIndex := strings.CutPrefix(f.File, index.DirName+"/")
	switch {
	case inIndex:
		if seen[name] {
			return nil
		}
		seen[name] = true
		return a.againFile(name, f)
	case f.Check == checkTorn.ID, f.Check == checkWatermark.ID, moved && f.File == log.File:
		return nil // looked at anew
	}
	a.findings = append(a.findings, f)
	return nil
}

// againFile looks at one path of the index. One that lies beyond something irregular stands as it was found.
func (a *Audit) againFile(name string, was Finding) error {
	e, err := a.lookAt(name)
	switch {
	case errors.Is(err, disk.ErrIrregular):
		a.findings = append(a.findings, was)
		return nil
	case absentKey(err):
		a.missing(name, was.Key)
		return nil
	case err != nil:
		return err
	}
	a.indexEntry(e, map[string]bool{})
	return nil
}

func (a *Audit) lookAt(name string) (f indexFile, err error) {
	if a.tree == nil {
		return f, disk.ErrIrregular
	}
	if f.Entry, err = a.tree.Look(name); err == nil && (f.Kind == index.KindFile || f.Kind == index.KindForeign) {
		f.text, err = a.tree.ReadPath(name)
	}
	return f, err
}

// missing finds that a live key has no file.
func (a *Audit) missing(name, key string) {
	k, err := keypath.Parse(key)
	if err != nil {
		return
	}
	rec, known := a.fold[k]
	if known && rec.Valid() && string(k.Path()) == name && !content.Expired(rec.Content, log.StampOf(a.Now)) {
		a.find(checkMissing, Finding{File: index.DirName + "/" + name, Key: key}, "no file for %s", key)
	}
}
