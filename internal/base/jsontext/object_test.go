package jsontext

import "testing"

func TestObject(t *testing.T) {
	var none, o Object
	if got := string(none.Bytes()); got != "{}" {
		t.Error(got)
	}
	o.Text("a", `"`)
	o.TextUnlessEmpty("b", "")
	o.TextUnlessEmpty("c", "x")
	o.Raw(`d"`, AppendStrings(nil, []string{"1", "2"}))
	o.Raw("e", AppendStrings(nil, nil))
	if got, want := string(o.Bytes()), `{"a":"\"","c":"x","d\"":["1","2"],"e":[]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
