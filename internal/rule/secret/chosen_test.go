package secret

import (
	"strings"
	"testing"
)

// chosenOnes are sentences with a password that a person chose; plainOnes speak of passwords, and
// of what has digits and signs, or are what stands for a value.
const chosenOnes = `The wifi password got changed to Sunflower2023 last week.
Jenkins login is admin and the password remains Blue!Kite77 until Friday.
pw for the grafana admin, in case you need it, Kuh-Milch#93
the root password of nas3 hasn't changed: it's Otter%Lamp21
use Cr4ckerJack! as the password for the demo tenant
For the VPN the pass phrase is tulip-Falcon-19-brick
I set Drag0nfly&77 as db password on staging
New postgres password since Monday, Vuurtoren!55x, tell nobody
Das Passwort ist immer noch Sommer2024!
Passwort fürs Gäste-WLAN wurde letzte Woche auf Kaktus&Tee19 geändert.
Mit Anna und dem Passwort W1nter!abend kommt man auf die NAS.
Kennwort der Datenbank bleibt Apfel$Baum88 bis zum Umzug
Neues PW vom Drucker: ab heute Tiger?Ente12
le mdp du serveur, toujours P@pillon93, à changer
Le mot de passe wifi reste Caf3crème!8
J'ai remis le mot de passe du NAS à Citron*Vert44 hier soir
la contraseña de root sigue siendo Mont4ña!22
He cambiado la contraseña del wifi por T0rtuga$Azul
la clave del panel pasa a ser Luna#Roja81
A senha do roteador agora é Caju!2291x
mudei a senha do admin para Pip0ca&Doce
La password del database è ancora Girasole!47
ho impostato la password di root su Vent0*Nord
Het wachtwoord van de beheerder is nog steeds Fiets!pad88
wachtwoord van de router veranderd in Kaas&Brood7
Пароль от базы поменял на Snegir!4482, не забудь
Пароль на роутере всё ещё Moroz#77zima
мы используем Kedr$2291x как пароль для стенда
测试机的密码昨天改成了 Panda&3391x
管理员密码还是 Bambu!77lu,没人改过
管理画面のパスワードを Ringo#88ame に変更した
パスワード変更済み、今は Fuji!Yama33 です
비밀번호를 Hanok!2291 로 바꿨어요
Zmieniłem hasło do bazy na Wisla!88kra
Hasłem do wifi jest Bocian#42x
Lösenordet till routern är fortfarande Fjäll!88sno
Parola serverului a rămas Munte!44ra
Sunucunun şifresi hâlâ Kedi!2291x
LUKS passphrase for the laptop: velvet canyon biscuit harbor
the passphrase of the backup key is copper-walnut-drizzle-anchor
gpg passphrase, six words: lantern pickle orbit saddle mustard glacier
Die Passphrase für das Backup: Wolke Gabel Tiger Lampe Fenster
Passphrase du disque : citron marteau nuage violon
passphrase: correct horse battery staple
VPN credentials for the contractor: jsmith and Maple!Syrup42
Login auf dem NAS geht mit backup und Birne#42Zug
on the switch, user netadmin, pass C1sco!Fun99
root on the pi: R4spberry!pie (password not rotated)
Anmeldung am ERP: Benutzer scanner, Passwort Lager+Halle7
Office printer (HP in room 2): admin page takes Pelikan?Tinte40 as pw
The db password on stage was reset by Tom, he picked Lobster&Bib31.
I logged in as root with Gl4cier-Mint, works again
Our shared Miro login: team@corp.example / Papaya.Boat.662
Ich habe fürs CRM als Passwort Knoblauch#17Suppe eingetragen, bitte nicht weitergeben.
Kennwort NAS alt: Moos!farn12, neu: Farn!moos21
WLAN im Büro heißt Fuchsbau, Schlüssel ist Dachs&Hase2020
Code du portail wifi invité, mot de passe : Brioche_du_matin7
On se connecte en ssh avec deploy et P0ivron!vert comme mot de passe
La clave de la cámara del patio quedó en G4ll0*Negro hasta nuevo aviso
contraseña nueva del NAS (desde ayer) Membrillo$45
senha nova do painel, anota aí: Jabut1caba!9
ficou combinado que a senha do cofre vira Goiab@da77
La password del NAS adesso: Zucch1na!fritta
Новый пароль админки Blin&Med77, старый больше не работает
пароль прежний, Shapka#2019z
后台账号 admin,密码还是老的那个 Xiong&mao99
共享盘密码:Zhuzi_2231x
ルーターの管理者パスワードは今も Tanuki!55bo のまま
DBのパスワード：Momiji_88kiri
관리자 비번은 Gimchi!77za 그대로입니다
Hasło administratora zmienione wczoraj, teraz Jeleń!88las
Het nieuwe wachtwoord van de NAS: Stroopwafel&9
lösenord för wifi blev Bulle!fika22
salasana on edelleen Mustikka!77
Keystore password for the android upload key is 'plover-Tide-552'
sudo password on the mac mini → Walnut^Gate19
BIOS-Passwort der Thinkpads ist seit gestern 7Zwerge!Berg
Guest wifi: SSID Otterbau, PSK "flussufer-Nebel-38"
Passphrase of the restic repo: "lamp gravel onion kite"
Passphrase: otter-mango-thimble-rust`

const plainOnes = `The password is in KeePass2 under prod-db, entry Nas02.
Passwords are hashed with Argon2id before they reach PostgreSQL15.
We store the password as PBKDF2-SHA256 and compare in constant time.
Password reset mails go through SendGrid, template Reset2024-v3.
Log4j2 printed the password in plain text, fixed by upgrading to 2.17.1.
OAuth2Client no longer accepts the password grant.
Base64 is no encryption: the password header is only Base64Url encoded.
Das Passwort liegt in 1Password, Eintrag "Jenkins-Admin2".
Passwort-Richtlinie laut ISO27001 und BSI-TR-02102, siehe Confluence.
Passwortfeld in LoginForm2.tsx ist jetzt vom Typ password, Ticket OPS-4471.
Le mot de passe se change dans Keycloak24, onglet Credentials.
Le mot de passe de la préprod est dans Bitwarden (collection Infra2024).
La contraseña se cifra con AES256-GCM y se guarda en Vault1.15.
A senha é gerada pelo Terraform (random_password.db01) e nunca aparece no estado.
O campo senha foi movido para o componente LoginV2Form.
Пароль хранится в KeePassXC, запись Stage2, доступ у DevOps.
Пароль проверяет класс PasswordValidator2 из модуля auth-core.
密码字段由 EncryptUtil2 处理,存储格式为 SHA256。
数据库密码在 Vault 里,路径 secret/data/Prod2/db。
パスワードは BCryptPasswordEncoder(12) でハッシュ化する。
パスワードのリセットは Auth0 のフロー ResetV2 に任せる。
Hasło jest w sejfie Bitwarden, kolekcja Serwery2024.
Il campo password usa il componente InputText3 di PrimeVue4.
Het wachtwoord staat in Passbolt4, map Servers2.
The password prompt hangs on Windows11 with OpenSSH_9.5p1, works on Debian12.
Fix CVE-2024-3094: password auth over sshd was affected through liblzma 5.6.1.
The wifi uses WPA2-PSK and the passphrase rotates every 90 days via UniFi8.
PR#4471 moves the password check into AuthServiceV2 and closes #4410.
Password strength is measured with zxcvbn4, minimum score 3 of 4.
The password column is varchar(255), migration V12__AddPasswordHash.sql.
Commit 9fceb02 renames getPassword2() to readPassword().
Set the password via the env variable DB_PASSWORD_V2, never in compose.yaml.
On iOS17 the password autofill needs textContentType=.newPassword.
The test user types Ctrl+Shift+F5 after the password prompt.
With HTTP2 the password endpoint returns E4011 instead of 401.
Users complained that password must contain !#$%& and 2 digits: relaxed to NIST-800-63B.
pw hash looks like $argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub
Password length: 12 to 64 characters, at least one of A-Z, a-z and 0-9.
Password spraying from 185.220.101.4 against Office365, blocked by Fail2ban.
The admin password for Grafana10 is provisioned by the Helm chart kube-prometheus-stack-58.2.1.
sshd_config: PasswordAuthentication no, PubkeyAcceptedAlgorithms rsa-sha2-256 (RFC8332).
X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
x-request-id: 7Fk2mQ9xTzB4LpW8Vr3YsD6HnJ1cXeA5GuK0oRtq
CF-RAY 8a1b2c3d4e5f6789-FRA, X-Amz-Id-2: eftixk72aD6Ap51TnqcoF8eFidJG9Z/2mkiDFu8yU9AS1ed4OpIszj7UDNEHGran
Authorization: Bearer your-api-key-goes-here
Authorization: Bearer <YOUR_JWT>
API_KEY=replace-me-with-your-key
SECRET_KEY=changeme123
password: "example-password-123"
POSTGRES_PASSWORD=example_pw_2024
Wordle candidates: crane, slate, adieu, audio, train, about, house, light, other, music, great, field, point, sound.
Spelling words for week 3: absorb, brave, castle, damage, eager, fabric, gather, humble, injury, jungle, kidney, lemon
Seed data for the demo shop: apple, orange, lemon, banana, bread, butter, rice, corn, fish, chicken, honey, sugar
Password: minimum length twelve characters.
Passphrase: required for all admin accounts since March.
The passphrase is asked by cryptsetup at boot, nobody types it on the serial console.
The passphrase of the key lives in the agent, see gpg-agent.conf and pinentry-curses.
The Wi-Fi passphrase is printed on the back of the router, we never typed it here.
Rotate the root password quarterly; runbook in Notion, page "Root-PW-2024".
After upgrading to Keycloak 24.0.3 the password policy moved to realm settings, see KC-20815.
Passwords shorter than 12 chars are rejected by PAM module pam_pwquality.so since RHEL9.3.
The login form posts to /api/v2/Session?next=/Home2 and returns 302.
admin / viewer / editor are the three roles in Grafana, password login is disabled.
Account A1b2-Corp is the test tenant, login via SSO only.
Login works on Chrome126, breaks on Safari17.4 because of ITP.
Der Benutzer Svc-Backup02 hat kein Passwort, nur einen Schlüssel.
Das Passwort läuft am 31.12.2025 ab, Erinnerung im Kalender.
Die Passphrase wird beim Booten von Clevis/Tang automatisch geliefert.
Le mot de passe doit contenir 12 caractères, dont un parmi !?#$%.
Mot de passe : voir le coffre, entrée « Prod-DB2 ».
El usuario admin entra con LDAP, la contraseña local está desactivada desde v3.2.
A senha do Wi-Fi está no quadro da sala R2-D2.
La password è nel vault aziendale, cartella Clienti2024.
Пароль лежит в Vault по пути kv/Stage2/db.
密码策略：至少 12 位，包含 A-Z、a-z、0-9 和 !@#。
パスワードは 1Password の「Prod-DB2」に保存済み。
비밀번호는 Vault(kv/prod/db2)에 있습니다.
Hasło wygasa co 90 dni, reguła PCI-DSS-8.2.4.
The password manager export is Bitwarden JSON v2, importer in tools/Import2Vault.ts.
User reported bug #4471 & #4472: login page shows password field twice on iPhone15,2.
Login: use your GitHub account, 2FA via TOTP, backup codes in 1Password.
OAuth2 password grant is deprecated (RFC6749 section 4.3), use PKCE S256 instead.
passphrase-less SSH keys are forbidden, see policy SEC-012.
Login to the VPN with user@corp.example.com and your YubiKey5C.
The accounts table has 3 columns: Id, LoginName2, PasswordHash (bcrypt, cost 12).
UserService2 reads password_hash, calls verify(pw, hash) and logs auth_ok=1&user=42.
root cause: Redis7 evicted the login session, TTL 3600s.
WPA3-SAE for guest wifi, VLAN40, SSID Guest-5GHz, no password.
Passphrase wordlist: eff_large_wordlist.txt, six words per phrase, dice only.
The passphrase prompt looks broken on dark themes, contrast too low.
The token library is v0.0.0-20241031091500-b1f2c3d4e5f6 in go.mod.
Set DB_PASSWORD=$(openssl rand -base64 24) in the pipeline.
password = os.getenv("DB_PASSWORD2", default="")
const { password, userId2 } = await readConfig2(path)
curl -u "$USER:$PASSWORD" https://nexus2.example.com/v2/_catalog
mongodb://USER:PASSWORD@host1:27017/db?replicaSet=rs0
GH_TOKEN=xxxxxxxxxxxxxxxxxxxx
export API_TOKEN="<paste-token-here>"
Authorization: Basic <base64 of user:password>
x-amz-request-id: 4442587FB7D0A2F9 and x-amz-id-2: vlR7PnpV2Ce81l0PRw6jlUpck7Jo5ZsQjryTjKlc5aLWGVHPZLj5NeC6qMa0emYBDXOo6QBU0Wo=
X-Cloud-Trace-Context: 105445aa7843bc8bf206b12000100000/1;o=1
TypeError in Login2Form.handleSubmit: cannot read "password" of undefined (chunk Kx9Qz2.js)`

// A password is found near its name with any words between, and nothing else is.
func TestChosenPasswords(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(chosenOnes) {
		line = strings.TrimSpace(line)
		if Scan("content", quoted(line)) == nil {
			t.Errorf("passes: %s", line)
		}
		clean, _ := RedactText(line)
		if _, found := RedactText(clean); found != nil {
			t.Errorf("found again: %s", clean)
		}
	}
	for line := range strings.Lines(plainOnes) {
		if found := Scan("content", quoted(strings.TrimSpace(line))); found != nil {
			t.Errorf("refused: %s %v", line, found)
		}
	}
}
