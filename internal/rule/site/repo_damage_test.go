package site_test

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// encode returns an index of SHA-1 with these names, as git would write it, without extensions.
func encode(version uint32, names []string) []byte {
	b := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(names)))
	last := ""
	for _, name := range names {
		start := len(b)
		b = append(b, make([]byte, 60)...)
		binary.BigEndian.PutUint32(b[start+24:], 0o100644)
		flags := uint16(min(len(name), 0xfff))
		if version == 3 {
			flags |= 0x4000
		}
		b = binary.BigEndian.AppendUint16(b, flags)
		if version == 3 {
			b = append(b, 0, 0)
		}
		if version == 4 {
			kept := 0
			for kept < min(len(name), len(last)) && name[kept] == last[kept] {
				kept++
			}
			b = append(appendVarint(b, len(last)-kept), name[kept:]...)
			b = append(b, 0)
		} else {
			b = append(b, name...)
			b = append(b, make([]byte, 8-(len(b)-start)%8)...)
		}
		last = name
	}
	return append(b, make([]byte, 20)...)
}

func appendVarint(b []byte, n int) []byte {
	bytes := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		bytes = append(bytes, byte(n&0x7f|0x80))
	}
	slices.Reverse(bytes)
	return append(b, bytes...)
}

// patch returns a copy with other bytes at an offset.
func patch(b []byte, at int, with string) []byte {
	b = slices.Clone(b)
	copy(b[at:], with)
	return b
}

func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	v2, v4 := encode(2, []string{"a", "b"}), encode(4, []string{"a", "b"})
	long := strings.Repeat("x", 65_536)
	link := slices.Concat(v2[:len(v2)-20], []byte("link\x00\x00\x00\x14"), make([]byte, 40))
	for name, c := range map[string]struct {
		index []byte
		whole bool
		fine  bool
	}{
		"fine":                    {v2, true, true},
		"fine, version 4":         {v4, true, true},
		"a link to none":          {link, true, true},
		"empty":                   {nil, false, false},
		"no magic":                {patch(v2, 0, "DIRX"), false, false},
		"version 1":               {patch(v2, 7, "\x01"), false, false},
		"version 5":               {patch(v2, 7, "\x05"), false, false},
		"one entry too many":      {patch(v2, 11, "\x03"), false, false},
		"very many entries":       {patch(v2, 8, "\xff\xff\xff\xff"), false, false},
		"cut":                     {v2[:len(v2)-60], false, false},
		"wrong length":            {patch(v2, 12+61, "\x02"), false, false},
		"wrong order":             {encode(2, []string{"b", "a"}), false, false},
		"long name":               {encode(2, []string{long}), false, false},
		"cut by too much":         {patch(v4, 12+62, "\x7f"), false, false},
		"cut by far too much":     {patch(v4, 12+62, "\xff\xff\xff\xff\xff"), false, false},
		"names that grow":         {encode(4, []string{long[:40_000], long}), false, false},
		"unknown extension":       {patch(link, len(v2)-20, "nope"), true, false},
		"optional extension":      {patch(link, len(v2)-20, "NOPE"), true, true},
		"extension that is cut":   {patch(link, len(v2)-16, "\xff\xff\xff\xff"), true, true},
		"optional, and it is cut": {patch(link, len(v2)-20, "NOPE\xff\xff\xff\xff"), true, false},
		"cut before the checksum": {v2[:len(v2)-20], true, true},
	} {
		found, shared, err := site.Search(c.index, "zzz", c.whole)
		if found || shared != "" || (err == nil) != c.fine ||
			err != nil && !errors.Is(err, site.ErrIndex) {
			t.Errorf("%s: %v, %q, %v", name, found, shared, err)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for version := range uint32(3) {
		f.Add(encode(version+2, sample), "a/b", true)
		f.Add(encode(version+2, sample[:3]), ".mem", false)
	}
	f.Add(append(encode(2, sample[:1]), "link\x00\x00\x00\x14aaaaaaaaaaaaaaaaaaaa"...), "x", true)
	f.Fuzz(func(t *testing.T, index []byte, name string, whole bool) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, shared, err := site.Search(index, name, whole)
		runtime.ReadMemStats(&after)
		if found && (shared != "" || err != nil) || err != nil && shared != "" {
			t.Errorf("%v, %q, %v", found, shared, err)
		}
		if shared != "" && (len(shared) != 40 || strings.Trim(shared, "0123456789abcdef") != "") {
			t.Errorf("the shared index %q", shared)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%d bytes of memory for an index of %d", used, len(index))
		}
	})
}
