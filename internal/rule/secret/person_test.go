package secret

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// wallet draws the words of a wallet.
func (d draw) wallet(n int) []string {
	list := strings.Fields(string(bip39))
	words := make([]string, n)
	for i := range words {
		words[i] = list[d.IntN(len(list))]
	}
	return words
}

// The words of a wallet are found behind a label, or with spaces between and no label, whole.
func TestWallets(t *testing.T) {
	t.Parallel()
	if sum := sha256.Sum256([]byte(strings.Join(strings.Fields(string(bip39)), "\n") + "\n")); fmt.
		Sprintf("%x", sum[:4]) != "2f5eed53" {
		t.Errorf("the words are not those of BIP 39: %x", sum[:4])
	}
	d := newDraw()
	var numbered strings.Builder
	for _, n := range []int{12, 15, 18, 21, 24} {
		words := d.wallet(n)
		all, array := strings.Join(words, " "), strings.Join(words, `", "`)
		numbered.Reset()
		for i, word := range words {
			fmt.Fprintf(&numbered, "%d. %s ", i+1, word)
		}
		for _, text := range []string{all, "MetaMask: " + all, "hot wallet " + all + ".", "(" +
			all + ")",
			"keep this safe:\n" + strings.Join(words, "\n"), numbered.String(), `["` + all + `"]`,
			`{"mnemonic":["` + array + `"]}`, "Ledger: " + strings.Join(words, ", "),
			"seed phrase\n\n" + all + "\n", "I use a wallet. " + all + " is of it.",
			strings.Repeat("A long text is before it. ", 40) + all,
			"my seed phrase is witch collapse practice feed shame open despair creek road " +
				"again ice least",
			"| seed | " + strings.Join(words, " | ") + " |"} {
			if ScanNote("content", quoted(text)) == nil || Scan("content", quoted(text)) == nil {
				t.Errorf("passes: %s", text)
			}
			clean, _ := RedactText(text)
			for i := range len(words) - 2 {
				if part := strings.Join(words[i:i+3], " "); strings.Contains(clean, part) {
					t.Errorf("%q is left: %s", part, clean)
				}
			}
		}
	}
	eleven := strings.Join(d.wallet(11), " ")
	for _, text := range []string{eleven, "MetaMask: " + eleven,
		"abandon ability able about above absent absorb abstract absurd abuse access accident " +
			"account",
		"mnemonic: test test test test test test test test test test test junk",
		"topics: art, music, film, sport, food, travel, fashion, health, science, game, " +
			"school, city",
		"the wallet page must show the word list and ask the user for three words out of twelve",
		"seed the tables users, orders, items, carts, plans, teams, roles, files, notes, tags, " +
			"rules"} {
		if found := ScanNote("content", quoted(text)); found != nil {
			t.Errorf("refused: %s", text)
		}
	}
}

// card draws the number of a card with this beginning.
func (d draw) card(begin string, n int) string {
	number := begin + d.of("0123456789", n-1-len(begin))
	sum := 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			digit = 2*digit/10 + 2*digit%10
		}
		sum += digit
	}
	return number + fmt.Sprint((10-sum%10)%10)
}

// The number of a card is found near its CVV, or a word for a card; without one it is any number.
func TestCards(t *testing.T) {
	t.Parallel()
	d := newDraw()
	for _, c := range []struct {
		begin string
		n     int
	}{{"4539", 16}, {"5412", 16}, {"2720", 16}, {"374", 15}, {"6011", 16}, {"36", 14}, {"4", 19}} {
		for range 10 {
			number := d.card(c.begin, c.n)
			spaced := number[:4] + " " + number[4:8] + " " + number[8:12] + " " + number[12:]
			for _, around := range []string{"visa % exp 09/29 cvc 731",
				`{"pan":"%","exp":"09/29","cvv":"731"}`,
				`{"number":"%","exp_month":9,"exp_year":2029,"cvc":"731"}`, "card number: %",
				"credit card %", "Kreditkarte %, gültig bis 12/27", "carte bancaire n° %",
				"tarjeta %",
				"% 09/29 security code 1234", "信用卡 %", "カード番号：%", "card_number=%&exp=0929",
				"карта %"} {
				for _, number := range []string{number, spaced, strings.ReplaceAll(spaced, " ",
					"-")} {
					text := strings.ReplaceAll(around, "%", number)
					clean, _ := RedactText(text)
					if Scan("content", quoted(text)) == nil || strings.Contains(clean, number) {
						t.Errorf("passes: %s", text)
					}
				}
			}
			wrong := number[:c.n-1] + string('0'+(number[c.n-1]-'0'+1)%10)
			for _, text := range []string{number, "order " + number + " is shipped", "id: " +
				number,
				"card " + wrong, "the card x" + number, number + "000000 on the card"} {
				if found := ScanNote("content", quoted(text)); found != nil {
					t.Errorf("refused: %s", text)
				}
			}
		}
	}
	for _, text := range []string{"test card 4242 4242 4242 4242 cvc 123", "visa 4111111111111111",
		"the CVV of the card is missing", `{"card":{"last4":"4242","exp_month":8}}`,
		"card 5555-5555-5555-4444", "4000 0025 0000 3155 asks for 3D Secure, any date and CVC",
		"card 4000-0084-0000-1629 is declined", "cvv at 1700000000000, card 2026-11-25 10:00:00"} {
		if found := ScanNote("content", quoted(text)); found != nil {
			t.Errorf("refused: %s", text)
		}
	}
	value := []byte(`{"card":` + d.card("4539", 16) + `}`)
	if clean, found := Redact("event", value); found == nil || !json.Valid(clean) {
		t.Errorf("%s", clean)
	}
}
