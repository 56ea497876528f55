package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/rule/secret/shape"
)

// sample is a text that both programs judge.
type sample struct{ kind, text string }

type maker struct{ shape.Maker }

// positives are matches of every rule, bare, in a sentence and in a line of a file. The name of the
// rule stands above: some are opened only by a word that is not part of the secret.
func (m *maker) positives(each int) (list []sample) {
	for _, r := range secret.Rules() {
		for range each {
			if r.Pattern != "" {
				list = append(list, sample{"positive", m.around(r.ID, m.Match(r.Pattern))})
			}
		}
	}
	return list
}

func (m *maker) around(id, match string) string {
	frames := [...]string{"On %s.\n%s\n", "On %s.\nWe use %s now.\n", "# %s\n    x = \"%s\"\n", "On %s, for the record:\n\n%s"}
	return fmt.Sprintf(frames[m.Rand.IntN(len(frames))], id, match)
}

// negatives are texts that a memory may well hold, and matches that were spoiled.
func (m *maker) negatives() (list []sample) {
	for range 60 {
		list = append(list,
			sample{"prose", m.prose()}, sample{"chinese", m.chinese()}, sample{"references", m.references()},
			sample{"encoded text", m.encoded()}, sample{"code", m.code()},
		)
	}
	for range 20 {
		list = append(list, sample{"named digests", m.digest()})
	}
	for _, r := range secret.Rules() {
		if r.Pattern != "" {
			match := m.Match(r.Pattern)
			list = append(list, sample{"cut short", m.around(r.ID, match[:len(match)*2/3])}, sample{"placeholder", m.around(r.ID, placeholder(match))})
		}
	}
	return list
}

// placeholder puts x and 0 for letters and digits behind the first five characters, as a manual
// does.
func placeholder(match string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		switch n++; {
		case n <= 5:
			return r
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r):
			return 'x'
		}
		return r
	}, match)
}

var (
	things  = strings.Fields("token key access auth secret password credential api deploy branch test cache index database review meeting calendar task-list risk-free desk-sk")
	actions = strings.Fields("rotates reads writes checks expires deletes replaces documents reviews refuses forwards keeps")
	names   = strings.Fields("github gitlab slack stripe heroku openai facebook twitter linear jira confluence datadog dropbox discord adobe okta sentry")
	hanzi   = []string{"用户喜欢中文", "偏好简洁", "明天十点牙科复诊", "密码已经更换", "接口文档在仓库里", "令牌每小时过期", "访问需要审批", "项目使用 token 认证", "API 的 key 放在保险库"}
)

func (m *maker) pick(list []string) string { return list[m.Rand.IntN(len(list))] }

func (m *maker) prose() string {
	return fmt.Sprintf("The %s %s the %s of %s: see chapter %d, \"%s and %s\", and ask %s, who %s it on 2026-%02d-%02d.",
		m.pick(things), m.pick(actions), m.pick(things), m.pick(names), m.Rand.IntN(99), m.pick(things), m.pick(things), m.pick(names), m.pick(actions),
		1+m.Rand.IntN(12), 1+m.Rand.IntN(28))
}

func (m *maker) chinese() string {
	return m.pick(hanzi) + "，" + m.pick(hanzi) + "；" + m.pick(names) + " " + m.pick(hanzi) + "。"
}

// references are what points at things: commits, checksums, UUIDs, times, paths, URLs.
func (m *maker) references() string {
	seed := fmt.Appendf(nil, "%d", m.Rand.Uint64())
	a, b := sha1.Sum(seed), sha256.Sum256(seed)
	return fmt.Sprintf("%s fixed in %x\nsha256:%x\ntask %x-%x-4%x-a%x-%x is %s\nhttps://example.com/%s/%s/%d\n/home/%s/%s.go:%d",
		m.pick(things), a, b, a[:4], a[4:6], a[6:8], a[8:10], a[10:16], m.pick(actions), m.pick(names), m.pick(things), m.Rand.IntN(1e9), m.pick(names), m.pick(things), m.Rand.IntN(500))
}

// digest is where package secret means to differ: the name of a commit is none of its secrets,
// whatever word stands before it.
func (m *maker) digest() string {
	return fmt.Sprintf("%s %s: %x", m.pick(things), m.pick([]string{"commit", "checksum", "sha256", "revision"}), sha1.Sum([]byte(m.prose())))
}

func (m *maker) encoded() string {
	return "The file says " + base64.StdEncoding.EncodeToString([]byte(m.prose())) + " in base64."
}

func (m *maker) code() string {
	return fmt.Sprintf("func %s(%s string) error {\n\tif %s == nil { return fmt.Errorf(\"%s: %%w\", Err%d) }\n\t%s := os.Getenv(\"%s_TOKEN\")\n\treturn store.Set(%s, %s)\n}",
		m.pick(actions), m.pick(actions), m.pick(actions), m.prose(), m.Rand.IntN(9), "secretName", strings.ToUpper(m.pick(names)), "secretName", m.pick(actions))
}
