package fsck

import (
	"bytes"
	"errors"
	"io"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// takers are the lines that were taken in the place of others, by these. They are compared: a
// source that names a line is text that anybody can write.
type takers map[log.Identity][]log.Envelope

// checkTaken finds the lines in whose place a person took others on another machine, also once
// their time has come: no machine but this one has them, and here they would win for ever (F04). It
// reads the history once more, and only where lines were taken.
func (c *Checker) checkTaken() error {
	var keys []keypath.Key
	for _, list := range c.takers {
		keys = append(keys, list[0].Key)
	}
	type line struct {
		file string
		at   int64
	}
	known := map[line]bool{}
	for _, f := range selectFindings(c.findings, checkFuture) {
		known[line{f.File, f.Offset}] = true
	}
	return c.among(keys, func(rec log.Record) {
		if taker := c.takerOf(rec); taker != nil && !known[line{rec.Pos.File, rec.Pos.Off}] {
			c.find(checkFuture, Finding{File: rec.Pos.File, Line: rec.Pos.Line, Offset: rec.Pos.Off,
				Key: rec.Key.String(), Length: rec.Pos.Len},
				"ts %s, and another machine has taken it with that of %s", rec.TS, taker.TS)
		}
	})
}

// takerOf returns a line that was taken in the place of a record; nil where none was.
func (c *Checker) takerOf(rec log.Record) *log.Envelope {
	id := rec.Identity()
	if !c.taken.Has(id, rec.TS) {
		return nil
	}
	for _, e := range c.takers[id] {
		if e.Key == rec.Key && bytes.Equal(e.Content, rec.Content) {
			return &e
		}
	}
	return nil
}

// among calls fn for each sound record of some keys in archives and log.
func (c *Checker) among(keys []keypath.Key, fn func(log.Record)) error {
	if len(keys) == 0 {
		return nil
	}
	want := log.Want(keys...)
	read := func(r io.Reader, name string) error {
		for rec, err := range log.Find(r, name, log.Start{}, want) {
			if errors.As(err, new(*log.Damage)) {
				continue
			}
			if err != nil {
				return err
			}
			fn(rec)
		}
		return nil
	}
	for _, name := range c.archives {
		f, err := c.Dir.Open(name)
		if err == nil {
			err = read(f, name)
			f.Close()
		}
		if ignoreAbsent(err) != nil {
			return err
		}
	}
	if c.live == nil {
		return nil
	}
	return read(c.live.From(0), log.File)
}
