package secret

import "strings"

// The kinds of a word before a value, one byte each, as rules of an index.
const (
	kindPassword = "p" // names a password: nearly every value is one
	kindShort    = "w" // may name a password, but also a directory or a test: pwd, pass
	kindToken    = "t" // a token
	kindSecret   = "s" // a secret or a key: has many other meanings
	kindKey      = "k" // a secret if it goes on: api_key, accessKey
	kindHeader   = "a" // Authorization
	kindScheme   = "h" // what stands after Authorization: and its scheme; no word has it
	kindBearer   = "r" // Bearer
	kindCommand  = "c" // a command with a flag for a password
	kindNear     = "n" // a key of any sort: only what looks drawn is one
	kindLogin    = "l" // names a person or an account
	kindCode     = "d" // a PIN: digits alone
	kindCard     = "m" // a payment card
	kindGroups   = "q" // a code in groups
	kindPgpass   = "g" // a port between the host and the database of .pgpass
	kindBot      = "b" // a token of Telegram, behind the number of the bot
	kindPrefix   = "x" // the beginning of a token
	kindIssued   = "i" // the beginning of a token that is long and drawn
)

// credentialWords are the words that a value may follow, behind the kind of each group: one text,
// for it is read as a whole at the first use. Of languages without capitals, and of Cyrillic, every
// spelling is listed.
const credentialWords = "" +
	kindPassword + ",password,passwd,passphrase,passcode,passwort,kennwort,mot de passe," +
	"contraseña,contrasena,wachtwoord,пароль,Пароль,密码,密碼,口令,パスワード,暗証番号,비밀번호,패스워드,암호,senha," +
	"parol,hasł,haslo,salasana,lösenord,passord,adgangskode,kodeord,heslo,jelszó,jelszo," +
	"şifre,lozinka,palavra-passe,contrasenya,mật khẩu,парол,Парол,ПАРОЛ,κωδικός,kata sandi," +
	"पासवर्ड,비번,passwört,zugangscode,code secret,code d'accès,mots de passe,пасворд,лозинк,гасло," +
	"geslo,zaporka,parool,slaptažod,kata laluan,รหัสผ่าน,كلمة المرور,كلمة السر,كلمة مرور,رمز " +
	"عبور," +
	"رمز المرور,סיסמה,סיסמא,পাসওয়ার্ড,கடவுச்சொல்,συνθηματικό,lykilorð,pasahitz,contrasinal," +
	"cyfrinair,pasfhocal,nenosiri,wagwoord,fjalëkalim,պարոլ,գաղտնաբառ,პაროლი," +
	kindShort + ",pwd,pass,pw,psk,mdp,clave,chave,losung,sifre,code wifi,wifi code,wlan-code," +
	kindToken + ",token,令牌,トークン,토큰,токен,Токен," +
	kindSecret + ",secret,credential,密钥,密鑰,凭据,凭证,憑證," +
	kindKey + ",api,access,auth," +
	kindHeader + ",authorization," +
	kindBearer + ",bearer," +
	kindCommand + ",curl,sshpass,mysql,docker login,podman login,registry login," +
	"az login,redis-cli," +
	kindNear + ",jeton,key,schlüssel,clé,clef,llave,chiave,klucz,avain,nyckel,sleutel,anahtar," +
	"kulcs,cheie,cheia,ключ,Ключ,キー,pat,dsn,sig,appid,sessionid,phpsessid,jsessionid,run(,bot(," +
	"discord,client(,login(,auth(,wallet(," +
	kindLogin + ",creds,credenciales,zugangsdaten,login,user,admin,root,account,credential," +
	"benutzer,zugang,konto,utilisateur,identifiant,compte,usuario,usuário,cuenta,utente," +
	"użytkownik,tunnus,salasana,utilizator,логин,Логин,пользовател,账号,用户名,wifi,wi-fi,wlan,ssid," +
	kindCode + ",pin,puk,gate code,door code,alarm code,entry code,lock code,safe code," +
	"backup code,recovery code,türcode,пин-код,пин,暗証番号," +
	kindCard + ",card,carte,karte,tarjeta,cartão,carta di,kaart,kort,карт,卡号,信用卡,カード,카드,visa," +
	"amex,mastercard,cvv,cvc,security code," +
	kindGroups + ",recovery,backup,bitlocker,totp,otp,2fa,mfa,authenticator,wiederherstellung," +
	"secours,respaldo,recupera,recupero,восстановлен,резервн,復元,恢复," +
	kindPgpass + ",:5432:,:5433:,:6432:,:*:," +
	kindPrefix + ",sk-,ghp_,gho_,glpat-,xoxb-,xoxp-," + kindBot + ",:aa," +
	kindIssued + ",gocspx-,whsec_,tskey-,sbp_,sb_secret_,r8_,re_,tvly-,figd_,key-,ntn_,secret_," +
	"gsk_,xai-,pcsk_,pplx-,nvapi-,fw_,fc-,csk-,ya29.,ghs_,ghu_,xapp-,dckr_pat_,dckr_oat_,hf_," +
	"hvs.,sk_,rk_,sq0csp-,lin_,lsv2_,rnd_,nfp_,vcp_,tfp_,pul-,glsa_,glc_,phx_,phs_,mlsn.," +
	"xkeysib-,apify_api_,ccipat_,bkua_,e2b_,jina_,rpa_,tgp_v1_,dp.st.,glrt-,atbb,atctt3," +
	"pat-na1-,npm_,api/webhooks/,incomingwebhook/,hooks/catch/,/bot/v2/hook/," +
	"webhook/send?key=,/hooks/,/with/key/,"

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

// joined reports whether a word consists of words of the list, as changeme does.
func (l wordList) joined(word []byte) bool {
	const most = 40
	for n := len(word); n > 1 && len(word) <= most; n-- {
		if l.has(word[:n]) && (n == len(word) || l.joined(word[n:])) {
			return true
		}
	}
	return false
}

// plainWords begin a remark about a password or a token, or its place, and so are none.
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
	"el los en mínimo mínimos não debe deve doit не нет минимум должен moet musi nie måste skal "

// verbs, after a word, make of both the beginning of a sentence.
const verbs wordList = " are comes expires fails gets has have is knows lives may must needs of " +
	"should was were will ist muss hat "

// technical are names with digits that are no secrets: algorithms, encodings, protocols.
const technical wordList = " 1password aes128 aes256 argon2 argon2i argon2id auth0 base16 base32 " +
	"base58 base64 base64url blake2b blake3 ed25519 es256 es384 fail2ban hs256 hs384 hs512 ipv4 " +
	"ipv6 k8s log4j log4j2 neo4j pwn2own " +
	"md5 oauth1 oauth2 p256 pbkdf2 ps256 rs256 rs384 rs512 rsa2048 rsa4096 s3 sha1 sha224 " +
	"sha256 sha384 sha512 ssha512 utf8 utf16 wpa2 wpa3 x509 "

// links stand between a name and its value in a sentence, and relations between a name and what it
// is the name of.
const (
	links wordList = " s still remains bleibt reste sendo siendo ancora " +
		"is was ist war lautet est es = == : := => -> → - – — è é este to on är " +
		"er jest jak: это sind są sono são son sont use: = e " +
		"je je: heißt és є да είναι là adalah " +
		"ir yra është hu هو هي היא הוא है је c'est c’est "
	relations wordList = " за for of on to at auf für von vom zu zum zur des der de du del para " +
		"pour changed set reset к от на для do dla pentru na til till för per di da van voor "
	fillers wordList = " now currently still set changed reset jetzt aktuell to immer noch " +
		"toujours " +
		"encore ahora agora ainda nog steeds "
)

// withs stand between an account and a password.
const withs wordList = " with mit avec con com cu z с med met "

// references in front of a value say that it is the name of something, dataKeys that the word key
// behind them means the key of a record.
const (
	references wordList = " commit checksum digest revision uuid guid etag md5 sha sha1 sha256 " +
		"sha512 id ids hash fingerprint integrity sum merged version request trace span image " +
		"build run cache row record order tag "
	dataKeys wordList = " cache public primary foreign sort partition idempotency host object " +
		"hash map group row query join index record routing dedupe deduplication restore bucket " +
		"known issue jira translation i18n registry event image storage "
)

// dummies are words of which one says that a value is none.
const dummies wordList = " example changeme changeit replaceme placeholder dummy your " +
	"beispiel exemple ejemplo exemplo esempio "

// generics are words that stand for a name or a password in a template.
const generics wordList = " password passwd passwort kennwort passphrase passcode pass pw pwd " +
	"token secret key api credential credentials user " +
	"username name login app db database my your " +
	"the new old current admin root example access auth bearer " +
	"client here env placeholder change " +
	"changed me it this not wrong bad invalid incorrect some " +
	"dummy fake sample value string enter " +
	"insert replace todo ihr ihre dein deine mein neues altes falsches " +
	"geheim geheimes hier mot de " +
	"passe votre mon ton contraseña contrasena clave tu su mi aqui wachtwoord uw mijn senha sua " +
	"minha vostra tua mia hasło twoje heslo пароль ваш "
