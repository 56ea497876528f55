package keypath_test

import (
	"fmt"

	"github.com/set-memory/mem/keypath"
)

func ExampleKey_Path() {
	for _, s := range []string{"/user/calendar/2026-02-23_10-00_牙科复诊", "/mail/alice@example.com",
		"/.config/", "//a//b"} {
		fmt.Println(keypath.MustParse(s).Path())
	}
	// Output:
	// user/calendar/2026-02-23_10-00_牙科复诊@b5dbba.json
	// mail/alice%40example.com@47ee14.json
	// %2Econfig@03fd0c.json
	// a/b@662b7b.json
}

func ExampleParse_refused() {
	_, err := keypath.Parse("/user/../etc")
	fmt.Println(err)
	// Output: key: "/user/../etc": ".." segment at byte 6
}
