package keypath_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

var (
	asciiKey   = "/user/preference/editor/font-size"
	chineseKey = "/user/calendar/2026-02-23_10-00_牙科复诊"
	cutKey     = "/kb/" + strings.Repeat("牙科复诊", 30)
)

func BenchmarkParseASCII(b *testing.B)   { benchParse(b, asciiKey) }
func BenchmarkParseChinese(b *testing.B) { benchParse(b, chineseKey) }
func BenchmarkParseDecomposed(b *testing.B) {
	benchParse(b, "/user/cafe\u0301//menu/")
}

func BenchmarkPathASCII(b *testing.B)   { benchPath(b, asciiKey) }
func BenchmarkPathChinese(b *testing.B) { benchPath(b, chineseKey) }
func BenchmarkPathCut(b *testing.B)     { benchPath(b, cutKey) }

func BenchmarkDecode(b *testing.B) {
	p := keypath.MustParse(chineseKey).Path()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := keypath.Decode(p); err != nil {
			b.Fatal(err)
		}
	}
}

func benchParse(b *testing.B, key string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(key)))
	for b.Loop() {
		if _, err := keypath.Parse(key); err != nil {
			b.Fatal(err)
		}
	}
}

func benchPath(b *testing.B, key string) {
	k := keypath.MustParse(key)
	b.ReportAllocs()
	for b.Loop() {
		_ = k.Path()
	}
}
