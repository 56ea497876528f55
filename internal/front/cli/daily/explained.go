package daily

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/store/fts"
)

// explained returns what the score of a hit is made of, for mem search --why.
func explained(f mem.Found) string {
	text := fmt.Sprintf("%.3f =", f.Score)
	for i, p := range f.Factors {
		if i > 0 {
			text += " x"
		}
		text += fmt.Sprintf(" %s %.4g", p.Name, p.Value)
	}
	if f.Neighbor {
		text += " of a neighbor"
	}
	if f.Factors != nil {
		return text
	}
	for i, p := range f.Parts {
		switch {
		case p.Name == fts.OrderPart: // it is no part of the sum
			text += ";"
		case i > 0:
			text += " +"
		}
		text += " " + app.OneLine(p.String())
	}
	return text
}
