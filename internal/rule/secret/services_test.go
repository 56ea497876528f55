package secret

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// services are secrets as common services and people issue them. A number and a letter in braces
// stand for so many random characters: h hexadecimal, l letters, n digits, b base32, w letters,
// digits, - and _, a letters and digits.
const services = `huggingface token h·f_{34l}
google oauth client secret G·OCSPX-{28w}
client secret is G·OCSPX-{28w}
netrc: machine git.example.com login anna password {14a}
~/.pgpass: db.internal:5432:shop:shop:{16a}
https://discord.com/api/·webhooks/{18n}/{68w}
twilio sid A·C{32h} token {32h}
twilio auth token {32h}
k·ey-{32h} is the mailgun key
MAILGUN k·ey-{32h}
wallet seed: legal winner thank year wave sausage worth useful legal winner thank yellow
seed phrase abandon ability able about above absent absorb abstract absurd abuse access accident
login: anna / hunter2024
user anna pass hunter2024!
root:Sommer-2024-xK on the NAS
ssh root@10.0.0.4 with hunter2-Xy9
le mot de passe root : Zébulon-4412-aB
mot de passe : Zebulon4412
la contraseña es MiCasa_2931
senha: Casa2931!
wachtwoord: Fiets-8812
пароль: Kot_9921x
пароль от wifi Kot_9921x
비밀번호: kQ7#vv21Lm
hasło: Zima2024!x
salasana: Talvi2024!x
parola: Kis2024!x
PIN of the safe: 4419-2281
the wifi is Guest / Sun-Flower-77
PAT: {52b}
azure devops PAT {52b}
cloudflare token {40w}
CF_API_TOKEN={40w}
datadog api key {32h}
heroku key {8h}-{4h}-{4h}-{4h}-{12h}
linear l·in_api_{40a}
notion n·tn_{46a}
figma f·igd_{40w}
supabase s·bp_{40h}
vercel token {24a}
sentry s·ntrys_{100a}
postman P·MAK-{24h}-{34h}
groq g·sk_{52a}
x·ai-{80a}
replicate r·8_{37a}
openrouter s·k-or-v1-{64h}
deepseek s·k-{32h}
tavily t·vly-{32a}
pinecone p·csk_{70a}
cohere key {40a}
resend r·e_{8a}_{24a}
stripe webhook w·hsec_{32a}
square s·q0csp-{43w}
shopify s·hpat_{32h}
airtable p·at{14a}.{64h}
ngrok authtoken 2{26a}_{21a}
tailscale t·skey-auth-{17a}-{32a}
wireguard PrivateKey = {43a}=
basic auth header for nexus: YW5uYTpodW50ZXIyMDI0
docker login -u anna -p hunter2024 registry.local`

// At most one in twenty passes, in ten draws.
func TestSecretsOfServices(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	n, passed := 0, map[string]int{}
	for range 10 {
		for line := range strings.Lines(strings.ReplaceAll(services, "·", "")) {
			n++
			line = strings.TrimSpace(line)
			if Scan("content", quoted(drawnLine(rnd, line))) == nil {
				passed[line]++
			}
		}
	}
	all := 0
	for _, times := range passed {
		all += times
	}
	if n != 600 || all > n/20 {
		t.Errorf("%d of %d pass: %v", all, n, passed)
	}
}

// drawnLine returns a line with random characters in place of its braces.
func drawnLine(rnd *rand.Rand, line string) string {
	small := "abcdefghijklmnopqrstuvwxyz"
	letters := small + strings.ToUpper(small)
	sets := map[byte]string{'h': "0123456789abcdef", 'l': letters, 'n': "0123456789",
		'b': small + "234567", 'a': letters + "0123456789", 'w': letters + "0123456789-_"}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		brace, after, _ := strings.Cut(rest, "}")
		n, set := 0, sets[brace[len(brace)-1]]
		for _, c := range brace[:len(brace)-1] {
			n = 10*n + int(c-'0')
		}
		for range n {
			b.WriteByte(set[rnd.IntN(len(set))])
		}
		line = after
	}
}
