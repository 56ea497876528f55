package wire

import (
	"bytes"
	"encoding/json"
	"testing"
)

// However often a verb changes between its outputs, an answer has so many pieces that a client
// takes it, and all that was printed.
func TestPiecesAreBounded(t *testing.T) {
	var p Pieces
	for i := range 4 * MaxPieces {
		p.Add(i%2 == 1, []byte{byte('a' + i%2)})
	}
	text, err := json.Marshal(Reply{Printed: p})
	if err != nil {
		t.Fatal(err)
	}
	var got Reply
	if err := json.Unmarshal(text, &got); err != nil || len(got.Printed) != MaxPieces {
		t.Fatalf("%d pieces, %v", len(got.Printed), err)
	}
	var printed [2][]byte
	for _, piece := range got.Printed {
		of := 0
		if piece.IsErr {
			of = 1
		}
		printed[of] = append(printed[of], piece.Text...)
	}
	for of, text := range printed {
		if want := bytes.Repeat([]byte{byte('a' + of)}, 2*MaxPieces); !bytes.Equal(text, want) {
			t.Errorf("output %d has %d bytes, want %d", of, len(text), len(want))
		}
	}
}
