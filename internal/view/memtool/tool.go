package memtool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Error is an answer of the tool that says no, in the words that a model knows.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// Kind returns the name of the error's kind: the answer is no.
func (e *Error) Kind() string { return string(mem.KindNo) }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Tool answers the commands of one caller on one store. The zero Tool is none; see [New].
type Tool struct {
	store  *mem.Store
	caller mem.Caller
	source []byte
}

// New returns the tool. The source is that of what it writes; nil: the caller's agent, or any.
func New(s *mem.Store, c mem.Caller, source []byte) *Tool { return &Tool{s, c, source} }

// input is what a model sends. A pointer is nil where a member is missing.
type input struct {
	Command    string  `json:"command"`
	Path       string  `json:"path"`
	ViewRange  []int   `json:"view_range"`
	FileText   *string `json:"file_text"`
	OldStr     *string `json:"old_str"`
	NewStr     string  `json:"new_str"`
	InsertLine *int    `json:"insert_line"`
	InsertText *string `json:"insert_text"`
	OldPath    string  `json:"old_path"`
	NewPath    string  `json:"new_path"`
}

// Call runs the command in a JSON object as a model sends it. The text is the answer for the model,
// also where there is an error: an *Error is one of the tool's own answers; any other is wrong
// input, or as that of mem.Store.Set.
func (t *Tool) Call(ctx context.Context, command []byte) (text string, err error) {
	in, err := parseInput(command)
	if err == nil {
		text, err = t.run(ctx, in)
	}
	if err != nil {
		return TextOf(err), err
	}
	return text, nil
}

// TextOf returns what a model reads of an error.
func TextOf(err error) string {
	if own := (*Error)(nil); errors.As(err, &own) {
		return own.Text
	}
	return "Error: " + mem.Message(err)
}

func parseInput(command []byte) (in *input, err error) {
	text, err := jsontext.Compact(nil, command)
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	in = &input{}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, in); {
	case errors.As(err, &wrong) && wrong.Field == "":
		return nil, fmt.Errorf("command: %w: want a JSON object, not a %s", mem.ErrInput,
			wrong.Value)
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("command: %w: `%s` is a %s", mem.ErrInput, wrong.Field, wrong.Value)
	case err != nil:
		return nil, fmt.Errorf("command: %w: %w", mem.ErrInput, err)
	}
	return in, nil
}

func (t *Tool) run(ctx context.Context, in *input) (string, error) {
	switch in.Command {
	case "view":
		return t.view(ctx, in)
	case "create":
		return t.create(ctx, in)
	case "str_replace":
		return t.replace(ctx, in)
	case "insert":
		return t.insert(ctx, in)
	case "delete":
		return t.delete(ctx, in)
	case "rename":
		return t.rename(ctx, in)
	}
	return "", fmt.Errorf("command: %w: %.40q is none: want view, create, str_replace, insert, "+
		"delete or rename", mem.ErrInput, in.Command)
}

// missing returns the error for a member that a command needs.
func missing(in *input, name string) error {
	return fmt.Errorf("command: %w: %s needs `%s`", mem.ErrInput, in.Command, name)
}

// files are those that are there at some moment, without expired ones.
type files struct {
	get   func(keypath.Key) (rec log.Record, found bool, err error)
	below func(keypath.Prefix) iter.Seq2[log.Record, error] // records share a buffer until the next
}

// stored returns the files as they are, without a lock.
func (t *Tool) stored(ctx context.Context) files {
	return files{
		get: func(key keypath.Key) (log.Record, bool, error) {
			rec, err := t.store.Get(ctx, t.caller, key, false)
			if errors.Is(err, mem.ErrNotFound) {
				return rec, false, nil
			}
			return rec, err == nil, err
		},
		below: func(p keypath.Prefix) iter.Seq2[log.Record, error] {
			return func(yield func(log.Record, error) bool) {
				err := t.store.List(ctx, t.caller, mem.Filter{Prefix: p},
					func(rec log.Record) error {
						if !yield(rec, nil) {
							return errEnough
						}
						return nil
					})
				if err != nil && !errors.Is(err, errEnough) {
					yield(log.Record{}, err)
				}
			}
		},
	}
}

// errEnough ends a list.
var errEnough = errors.New("enough")

// locked returns the files as they are within an update.
func locked(ctx context.Context, tx *mem.Tx, now log.Stamp) files {
	return files{
		get: func(key keypath.Key) (log.Record, bool, error) {
			rec, found, err := tx.Get(ctx, key)
			return rec, found && !content.Expired(rec.Content, now), err
		},
		below: func(p keypath.Prefix) iter.Seq2[log.Record, error] {
			return func(yield func(log.Record, error) bool) {
				for rec, err := range tx.ScanBelow(ctx, p) {
					if err == nil && content.Expired(rec.Content, now) {
						continue
					}
					if !yield(rec, err) {
						return
					}
				}
			}
		},
	}
}

// plan makes the writes of a change from the files that are there, and its answer. It has no other
// effect, and of the same files it makes the same.
type plan func(files) (answer string, writes []mem.Write, err error)

// change runs a plan. What it was made of may change before its writes are stored: then it is made
// again, until it was stored as it was made.
func (t *Tool) change(ctx context.Context, planFor func(*mem.Operation) plan) (string, error) {
	op, err := t.store.Begin(t.caller, policy.Memories)
	if err != nil {
		return "", err
	}
	p := planFor(op)
	for {
		answer, writes, err := p(t.stored(ctx))
		if err != nil {
			return "", err
		}
		checked, err := checkAll(ctx, op, writes)
		if err != nil {
			return "", err
		}
		done, err := t.putPlanned(ctx, op, p, writes, checked)
		if done || err != nil {
			return answer, err
		}
	}
}

// putPlanned stores the writes of a plan, if it still comes to them.
func (t *Tool) putPlanned(ctx context.Context, op *mem.Operation, p plan, writes []mem.Write,
	checked []mem.Checked) (done bool, err error) {
	var refused error
	_, err = op.Update(ctx, func(tx *mem.Tx) error {
		done = false
		var now []mem.Write
		_, now, refused = p(locked(ctx, tx, op.Now()))
		if refused != nil || !slices.EqualFunc(writes, now, sameWrite) {
			return nil
		}
		done = true
		return tx.Put(checked...)
	})
	if err == nil {
		err = refused
	}
	return done, err
}

func sameWrite(a, b mem.Write) bool {
	return a.Key == b.Key && bytes.Equal(a.Content, b.Content) && bytes.Equal(a.Source, b.Source)
}

func checkAll(ctx context.Context, op *mem.Operation, writes []mem.Write) ([]mem.Checked, error) {
	list := make([]mem.Checked, len(writes))
	for i, w := range writes {
		var err error
		if list[i], err = op.Check(ctx, w, false); err != nil {
			op.Failed(w.Key, err)
			return nil, err
		}
	}
	return list, nil
}

// sourceOf returns the source of what an operation writes, the same to its end.
func (t *Tool) sourceOf(op *mem.Operation) []byte {
	if t.source != nil {
		return t.source
	}
	name := t.caller.Agent
	if name == "" {
		name = "memory tool"
	}
	return op.Source("agent", name, "tool", "memory")
}
