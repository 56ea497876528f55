package secret

import "strings"

// The kinds of a word before a value, one byte each, as rules of an index.
const (
	kindPassword = "p" // names a password: nearly every value is one
	kindShort    = "w" // may name a password, but also a directory or a test: pwd, pass
	kindToken    = "t" // a token, which N-16 names, too
	kindSecret   = "s" // a secret or a key: has many other meanings
	kindKey      = "k" // a secret if it goes on: api_key, accessKey
	kindHeader   = "a" // Authorization
	kindScheme   = "h" // what stands after Authorization: and its scheme; no word has it
	kindBasic    = "b" // Basic, before the base64 of user:password
	kindBearer   = "r" // Bearer
	kindCommand  = "c" // a command with a flag for a password
)

// credentialWords are the words that a value may follow. Of languages without capitals, and of
// Cyrillic, every spelling is listed.
var credentialWords = [...]keyword{
	{"password", kindPassword}, {"passwd", kindPassword}, {"passphrase", kindPassword},
	{"passcode", kindPassword}, {"passwort", kindPassword}, {"kennwort", kindPassword},
	{"mot de passe", kindPassword}, {"contraseña", kindPassword}, {"contrasena", kindPassword},
	{"wachtwoord", kindPassword}, {"пароль", kindPassword}, {"Пароль", kindPassword},
	{"密码", kindPassword}, {"密碼", kindPassword}, {"口令", kindPassword},
	{"パスワード", kindPassword}, {"暗証番号", kindPassword},
	{"비밀번호", kindPassword}, {"패스워드", kindPassword}, {"암호", kindPassword},
	{"senha", kindPassword},
	{"pwd", kindShort}, {"pass", kindShort}, {"pw", kindShort}, {"psk", kindShort},
	{"token", kindToken}, {"令牌", kindToken}, {"トークン", kindToken}, {"토큰", kindToken},
	{"secret", kindSecret}, {"credential", kindSecret}, {"api", kindKey}, {"access", kindKey},
	{"密钥", kindSecret}, {"密鑰", kindSecret}, {"凭据", kindSecret}, {"凭证", kindSecret},
	{"憑證", kindSecret},
	{"authorization", kindHeader}, {"basic", kindBasic}, {"bearer", kindBearer},
	{"curl", kindCommand}, {"sshpass", kindCommand}, {"mysql", kindCommand},
	{"mariadb", kindCommand},
}

// wordList holds lower-case words, each between spaces: a text needs no work at the start of a
// process.
type wordList string

func (l wordList) has(word []byte) bool {
	const longest = 20
	if len(word) == 0 || len(word) > min(longest, len(l)) {
		return false
	}
	between := append(make([]byte, 0, longest+2), ' ')
	for _, c := range word {
		between = append(between, lower(c))
	}
	return strings.Contains(string(l), string(append(between, ' ')))
}

// plainWords begin what is said about a password or a token, or where it is kept, and so are none.
const plainWords wordList = " " +
	"a an and any are argument as ask asked at auth authentication await bcrypt be bearer " +
	"because before boolean both by can cannot case changed changes character characters " +
	"chars check checked column comes contact create created default delete deleted do does " +
	"done each empty encoded encrypted endpoint every example expired expires expiry false " +
	"fetch fetched field fields file first for form format from generate generated get gets " +
	"handled handling has hash hashed hashes have header here hidden how if in input int " +
	"invalid is issued it its kept last leave length lives login managed manager many max " +
	"minimum mismatch missing must never new nil no none not null number of off on one only " +
	"option optional options or our out page passwords per plain please policies policy " +
	"prefix prompt prompts protected provided read redacted refresh refreshed refreshes " +
	"removed renewed required requires reset return returned returns rotate rotated rotates " +
	"rotation rule rules same saved scope scrypt secure see sent set shared should show " +
	"shown stored str string tbd text that the their then there they this to todo tokens " +
	"true two type undefined unknown unset unused updated use used uses using uuid valid " +
	"value varchar via was we when where which who will with without wrong you your " +
	"bitwarden keepass keepassxc keychain keyring lastpass passkey passkeys pass vault " +
	"vaults " +
	"csrf jwt jwts oauth oidc rbac saml sso xsrf " +
	"am bei beim bleibt das der die fehlt frag frage fragen ist kommt liegt mindestens muss " +
	"nicht nur siehe soll steht und vom wird von im ver está dans demander voir le la les " +
	"el los en "

// verbs, after a word, make of both the beginning of a sentence.
const verbs wordList = " are comes expires fails gets has have is knows lives may must needs of " +
	"should was were will ist muss hat "

// technical are names with digits that are no secrets: algorithms, encodings, protocols.
const technical wordList = " 1password aes128 aes256 argon2 argon2i argon2id auth0 base16 base32 " +
	"base58 base64 base64url blake2b blake3 ed25519 es256 es384 hs256 hs384 hs512 ipv4 ipv6 k8s " +
	"md5 oauth1 oauth2 p256 pbkdf2 ps256 rs256 rs384 rs512 rsa2048 rsa4096 s3 sha1 sha224 " +
	"sha256 sha384 sha512 ssha512 utf8 utf16 wpa2 wpa3 x509 "

// links stand between a name and its value in a sentence, and relations between a name and what it
// is the name of.
const (
	links     wordList = " is was ist war lautet est es = == : := => -> → "
	relations wordList = " for of on to at auf für von vom zu zum zur des der de du del para " +
		"pour changed set reset "
	fillers wordList = " now currently still set changed reset jetzt aktuell to "
)

// generics are words that stand for a name or a password in a template.
const generics wordList = " password passwd passwort passphrase pass pw pwd token secret key api " +
	"credential credentials user username name login app db database my your the new old " +
	"current admin root example access auth bearer client here env placeholder "
