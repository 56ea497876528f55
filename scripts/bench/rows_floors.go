package main

import (
	"context"
	"os"
)

// floorRows measures the floors by themselves, without mem. Nothing is judged here; a reader compares machines with it.
func floorRows(ctx context.Context, l *lab) ([]row, error) {
	input, err := l.input(l.sizes.small)
	if err != nil {
		return nil, err
	}
	subjects, err := l.cSubjects("floors")
	if err != nil {
		return nil, err
	}
	names := []string{"noop", "C-tail", "Go-hello", "C-set, new key", "C-set, old key"}
	subjects = append([]subject{
		always(cmd(l.floors.noop)),
		always(cmd(l.floors.ctail, input)),
		always(cmd(l.floors.hello)),
	}, subjects...)
	took, err := l.race(ctx, l.sizes.reps, subjects...)
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, name := range names {
		rows = append(rows, alone(name, took[i]))
	}
	// A cobra program over a C program: how near any answer of mem can come to C-tail on this machine.
	rows = append(rows, over("Go-hello", took[2], "C-tail", took[1], goal{}))
	sqlite, err := l.sqliteRow(ctx)
	return append(rows, sqlite), err
}

func always(c command) subject { return func(int) command { return c } }

// cSubjects gives C-set for a new key and for an old one, in a directory of their own.
func (l *lab) cSubjects(name string) ([]subject, error) {
	dir := l.path("cset-" + name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return []subject{
		func(i int) command { return l.floors.setC(dir, newName(i)) },
		func(int) command { return l.floors.setC(dir, "old") },
	}, nil
}

// sqliteRow is for comparison: the same promise from the database that most people would reach for.
func (l *lab) sqliteRow(ctx context.Context) (row, error) {
	const what = "sqlite3 shell, one row, WAL, synchronous=FULL"
	if l.floors.sqlite3 == "" {
		return missing(what, "sqlite3 is not installed"), nil
	}
	db := l.path("floor.db")
	if _, err := l.run(ctx, l.floors.sqliteCreate(db)); err != nil {
		return row{}, err
	}
	floor, err := l.cSubjects("sqlite")
	if err != nil {
		return row{}, err
	}
	insert := func(i int) command { return l.floors.sqliteInsert(db, recordAt(i)) }
	took, err := l.race(ctx, l.sizes.reps, insert, floor[0])
	if err != nil {
		return row{}, err
	}
	return over(what, took[0], "C-set", took[1], goal{}), nil
}
