package backend

import (
	"reflect"
	"testing"

	"github.com/set-memory/mem/log"
)

// A search skips the fields of records where no condition asks for them, so each condition counts.
func TestEachConditionChooses(t *testing.T) {
	elsewhere := map[string]bool{"Prefix": true, "Superseded": true} // see Holds and Takes
	conditions := reflect.TypeFor[Conditions]()
	for i := range conditions.NumField() {
		var w Where
		field := reflect.ValueOf(&w.Conditions).Elem().Field(i)
		switch value := field.Addr().Interface().(type) {
		case *[]string:
			*value = []string{"a"}
		case **log.Stamp:
			*value = new(log.Stamp)
		case *float64:
			*value = 0.5
		default:
			if name := conditions.Field(i).Name; !elsewhere[name] {
				t.Errorf("%s: no value of %T is tried here", name, value)
			}
			continue
		}
		if !w.Chooses() || w.AllFields() {
			t.Errorf("%s does not count as a condition", conditions.Field(i).Name)
		}
	}
}
