package secret

import (
	"strings"
	"testing"
)

// tongues are sentences about a password in many languages; * stands for it.
const tongues = `le mdp du compte admin c'est *
le mdp admin c’est *
mdp : *
mdp=*
mon mdp est *
le mot de passe du wifi c'est *
mots de passe : *
le code d'accès au VPN est *
code secret : *
das Passwort lautet *
Passwort vom NAS: *
Passwörter: *
Kennwort = *
das Kennwort für den Server ist *
Zugangscode: *
Losung ist *
la contraseña de la base de datos es *
contraseña: *
la clave del servidor es *
clave = *
la clave de acceso es: *
la senha do banco é *
senha do wifi: *
palavra-passe: *
a palavra passe é *
la parola d'accesso è *
la password di root è *
wachtwoord: *
het wachtwoord van de router is *
hasło: *
hasło do bazy to *
пароль: *
пароль от сервера *
пароль для админки — *
пасворд: *
парола за базата е *
лозинка је *
гасло: *
密码: *
密码是*
密码为*
数据库密码 = *
口令是*
密碼:*
パスワードは*
パスワード：*
パスワード = *
비밀번호: *
비밀번호는 *
비번은 *
암호는 *
şifre: *
şifresi *
parola: *
sunucunun parolası *
parola este *
parola de la server este *
lösenord: *
lösenordet är *
passordet er *
adgangskoden er *
kodeord: *
salasana: *
salasana on *
heslo je *
heslo: *
jelszó: *
a jelszó az adatbázishoz: *
geslo je *
zaporka je *
lozinka je *
parool on *
parole ir *
slaptažodis yra *
mật khẩu là *
mật khẩu: *
kata sandi adalah *
kata laluan: *
รหัสผ่านคือ *
รหัสผ่าน: *
كلمة المرور هي *
كلمة السر: *
رمز عبور: *
הסיסמה היא *
סיסמה: *
पासवर्ड है *
पासवर्ड: *
পাসওয়ার্ড: *
கடவுச்சொல்: *
ο κωδικός είναι *
κωδικός πρόσβασης: *
συνθηματικό: *
lykilorð: *
pasahitza: *
contrasinal: *
la contrasenya és *
cyfrinair: *
pasfhocal: *
nenosiri: *
wagwoord: *
fjalëkalimi është *
պարոլ: *
პაროლი: *`

// A password is found in any language, and where its name is inflected; a weak
// one behind a colon.
func TestTongues(t *testing.T) {
	t.Parallel()
	const weak = "tortue-88x"
	for _, password := range []string{"Girafe42!", weak, "Xk29#mvQ"} {
		for line := range strings.Lines(tongues) {
			if password == weak && !strings.ContainsAny(line, ":=：") {
				continue
			}
			text := strings.ReplaceAll(strings.TrimSpace(line), "*", password)
			if ScanNote("content", quoted(text)) == nil || Scan("content", quoted(text)) == nil {
				t.Errorf("passes: %s", text)
			}
		}
	}
}
