package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/jsontext"
)

// Decode reads a request or a record as JSON: an object with no members but those of its type, and
// none twice. The error wraps jsontext.ErrJSON or mem.ErrInput.
func Decode(what string, text []byte, into any) error {
	compact, err := jsontext.Compact(nil, text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if compact[0] != '{' {
		return &inputError{what, "want a JSON object", ""}
	}
	d := json.NewDecoder(bytes.NewReader(compact))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil || errors.Is(err, io.EOF) {
		return err
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &inputError{what + ": " + wrong.Field, "want a " + wrong.Type.String() + ", not a " +
			wrong.Value, ""}
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &inputError{what + ": " + name, "no such member", ""}
	}
	return fmt.Errorf("%s: %w: %w", what, mem.ErrInput, err)
}
