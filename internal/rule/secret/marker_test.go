package secret

import (
	"strings"
	"testing"
)

// verdictOf returns in which variants a text is refused: in all memories, in notes alone, or in
// none.
func verdictOf(value []byte) string {
	switch {
	case Scan("content", value) != nil:
		return "all"
	case ScanNote("content", value) != nil:
		return "notes"
	}
	return "none"
}

// What follows a marker is refused, unless it stands for a value, says where it is, or is about
// passwords. ^ in a text is removed, as in TestOwnRules.
func TestMarkers(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"all": {
			"pass^word = hunter2", "DB_PASS^WORD=hunter2", "PGPASS^WORD=swordfish",
			"Pass^word：hunter2", "Ｐａｓｓｗｏｒｄ＝hunter2", "x，pass^word＝hunter2",
			"密^码：abc12345", "密^码为abc12345", "パスワ^ードは abc12345 です", "비밀^번호는 abc12345",
			"Pass^wort: Geheim123", "пар^оль: qwerty123", "contras^eña: Verano2024",
			"pass^word: 'swordfish'", "pass^word=\"swordfish\"", "pass^word = \"swordfish\"",
			"- **Pass^word:** `hunter2`", "pass^word -> hunter2", "dbPa^ss: hunter2",
			"<pass^word>swordfish</password>", "--pass^word swordfish", "--pass^word=swordfish",
			"?user=app&pass^word=swordfish&x=1", "User Id=sa;Pass^word=swordfish;",
			"the pass^word of the NAS is now hunter2", "log in with pass^word hunter2",
			"pass^word changed to hunter2", "the pass^word for ada: hunter2",
			"Author^ization: Bearer abcdef", "author^ization: basic swordfish",
			"Author^ization: abcdef123", "X-Api-Key^: abcd1234",
			"post^gres://user:pass@host/db", "https://ada^:pw@example.com/x",
			"redis://^:swordfish@cache", "https://ada^:password@example.com",
			"curl -sS^ -u ada:swordfish https://x.example", "sshpass -pswordfi^sh ssh x",
			"pass^word (staging): hunter2", "pass^word is: hunter2", "パスワ^ード「sakura2024」",
			"the pass^word was changed to hunter2", "mys^ql -uroot -pswordfish shop",
			"to^ken: trk_1234567", "credent^ials: ada:hunter22",
		},
		"notes": {
			"password: swordfish", "PASSWORD: swordfish!", "token: abcdef", "token = abcdef",
			"password = swordfish", "password: 123456", "Authorization: abcdef",
		},
		"none": {
			"password: <redacted>", "password: [hidden]", "password: (see below)", "password: ***",
			"password: xxxxxx", "password: …", "password: hunt...", "password:", "password: -",
			"DB_PASSWORD=${DB_PASSWORD}", "DB_PASSWORD=$DB_PASSWORD", "password: $(pass show db)",
			"password: {{ db_password }}", "password: %s", "PASSWORD=your-password-here",
			"token: YOUR_TOKEN", "password = config.password", "password = os.Getenv(\"X1234\")",
			"password=password", "token := newToken(user1, 15)", "password: op://Infra/db/password",
			"password: secret/prod/db", "password: /run/secrets/db1", "password: ask Ada",
			"password: in 1Password", "password: see the vault", "密码：见保险箱", "密码是 6 位数字",
			"パスワードは1Passwordにあります", "비밀번호는 금고에 있음", "Passwort: siehe Tresor",
			"token: the JWT is refreshed every 15 minutes", "token: 15m", "token: RS256",
			"max_token: 128000", "tokens: identical", "password: argon2id",
			"password: rotation is due",
			"the password hash is bcrypt12x", "the password of ada is in the vault",
			"the token format is base64url-encoded", "the token for CI is rotated",
			"the --username and --password options", "GET /etc/passwd HTTP/1.1", "PWD=/home/ada/x1",
			"--- PASS: TestVet/12 (0.1s)", "compass: north2northwest", "the basic password rules",
			"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN",
			"Authorization: Bearer tokens expire", "'Authorization': 'Bearer ' + token1",
			"postgres://app:${PW}@db/x", "https://user:password@host/", "mysql://USER:PASS@HOST/DB",
			"ssh://git@github.com:22/x", "http://localhost:8080/@ada", "curl -u $LOGIN https://x",
			"curl -u ada: https://x", "mysql -u root -p shop", "docker run mysql -p3306:3306",
			"password (see the vault): rotated", "password: str = Field(...)",
		},
	} {
		for _, text := range texts {
			text = strings.ReplaceAll(text, "^", "")
			if got := verdictOf(quoted(text)); got != want {
				t.Errorf("%s: refused in %s, want %s", text, got, want)
			}
		}
	}
}

// A member of JSON is judged by its name; a text that ends with a marker, by nothing after it.
func TestMembers(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]string{
		"all": {
			`{"pass^word":"swordfish"}`, `{"db":{"pass^word":"correct horse battery staple"}}`,
			`{"pass^word":["hunter2"]}`, `{"pass^word":"hunter2 (staging)"}`, `{"p^wd":"aa11bb22"}`,
			`{"密^码":"abc12345"}`, `{"to^ken":"tk_3f9a8c21d0"}`, `{"text":"{\"pass^word\":\"x1\"}"}`,
			`{"headers":{"Author^ization":"Bearer abcdef"}}`, `{"client_sec^ret":"abcd1234"}`,
		},
		"none": {
			`{"password":null,"token":"","pwd":"/home/ada"}`, `{"password":"see the vault"}`,
			`{"password":{"type":"string"}}`, `{"password":"string","token":"uuid"}`,
			`{"password":"varchar(60)"}`, `{"password":"ask Ada"}`, `{"token":"csrf"}`,
			`{"token":"refreshed every 15 minutes"}`, `{"password":"<redacted>","secret":true}`,
			`{"label":"password:","n1":12345,"x":"hunter2"}`, `["password:","hunter2"]`,
			`{"password":"密码在保险箱里"}`, `{"secret":"db-creds"}`, `{"token":128000}`,
			`{"password":"must have 12 characters"}`, `{"Authorization":"Bearer"}`,
		},
	} {
		for _, value := range values {
			value = strings.ReplaceAll(value, "^", "")
			if got := verdictOf([]byte(value)); got != want {
				t.Errorf("%s: refused in %s, want %s", value, got, want)
			}
		}
	}
}

// Places count characters of the text as it is stored, full width or not.
func TestPlacesOfWideText(t *testing.T) {
	t.Parallel()
	value := []byte(`{"a":"，ｘ","b":"Ｐａｓｓｗｏｒｄ：hunter２，x"}`)
	found := Scan("content", value)
	want := Finding{Rule: credentialMarker, Place: "content.b", From: 10, To: 16}
	if len(found) != 1 || found[0] != want {
		t.Errorf("%v, want %v", found, want)
	}
}

// What parts two strings in code is no value, in a note about it either.
func TestCodeBetweenQuotesPasses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`log("token:", tok1, "x")`, `it prints "token:", tok12345`} {
		note := append(append([]byte(`{"text":`), quoted(text)...), '}')
		if found := ScanNote("content", note); found != nil {
			t.Errorf("refused: %s %v", text, found)
		}
	}
}
