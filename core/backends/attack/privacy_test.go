package attack

import "testing"

func TestPrivateLookingNames(t *testing.T) {
	for _, c := range []struct {
		collection, field string
		has               trait
		want              privacy
	}{
		{"customers", "email", trait{}, private},
		{"customers", "e_mail", trait{}, private},
		{"customers", "eMail", trait{}, private},
		{"customers", "EMailAdresse", trait{}, private},
		{"kunden", "Telefonnummer", trait{}, private},
		{"kunden", "handy", trait{}, private},
		{"kunden", "strasse", trait{}, private},
		{"kunden", "PLZ", trait{number: true}, private},
		{"kunden", "geburtsdatum", trait{}, private},
		{"konten", "iban", trait{}, private},
		{"orders", "amount", trait{number: true}, private},
		{"orders", "total", trait{number: true}, private},
		{"rechnungen", "Betrag", trait{number: true}, private},
		{"keys", "api_key", trait{}, private},
		{"sessions", "accessToken", trait{}, private},
		{"inquiries", "message", trait{}, mild},
		{"mails", "nachricht", trait{letter: true}, private},
		{"ingredients", "amount", trait{number: true}, open},
		{"polls", "total", trait{number: true}, open},
		{"events", "address", trait{}, open},
		{"events", "email", trait{}, private},
		{"posts", "title", trait{}, open},
		{"posts", "shipping", trait{}, open},
		{"posts", "description", trait{}, open},
		{"entries", "name", trait{}, open},
		{"models", "token_count", trait{number: true}, open},
		{"products", "price", trait{number: true}, open},
	} {
		if got := privacyOf(c.collection, c.field, c.has); got != c.want {
			t.Errorf("%s.%s is %d, want %d", c.collection, c.field, got, c.want)
		}
	}
}
