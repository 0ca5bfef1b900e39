package attack

import (
	"slices"
	"strings"
	"unicode"
)

// privacy is how private a field's values look.
type privacy int

const (
	// open values may be read by everybody.
	open privacy = iota
	// mild values are private between people but public in many applications, such as messages.
	mild
	// private values belong to a person.
	private
)

// privateParts are parts of private fields' names in English and German, in lower case and
// without separators.
var privateParts = []string{
	"email", "mailadress", "mailaddress", "phone", "telefon", "telefax", "handynummer", "handynr", "mobilnummer", "mobilenumber", "mobileno", "whatsapp",
	"address", "adresse", "anschrift", "wohnort", "street", "strasse", "hausnummer", "housenumber", "postleitzahl", "zipcode", "postcode", "postalcode",
	"birth", "geburt", "password", "passwort", "kennwort", "passphrase", "secret", "geheim", "token", "apikey", "accesskey", "privatekey", "accesscode", "zugangscode",
	"iban", "bankaccount", "accountnumber", "bankverbindung", "kontonummer", "kontoinhaber", "kreditkarte", "creditcard", "cardnumber", "kartennummer", "cvv",
	"steuernummer", "steuerid", "taxid", "taxnumber", "socialsecurity", "sozialversicherung", "passport", "ausweis", "nationalid",
	"salary", "gehalt", "einkommen", "income", "diagnos", "medical", "medikament", "krankheit", "krankenkasse", "insurancenumber", "versicherungsnummer", "allerg",
	"ipaddr", "ipadress", "emergencycontact", "notfallkontakt", "contactdetail", "kontaktdaten",
}

// privateWords are whole words of names.
var privateWords = []string{"mail", "tel", "fon", "mobile", "mobil", "handy", "fax", "addr", "plz", "zip", "otp", "pwd", "bic", "swift", "dob", "ssn", "ip", "lohn", "wage", "contact", "kontakt"}

// moneyWords and, in moneyPlaces, sumWords name amounts of money.
var (
	moneyWords  = []string{"amount", "betrag"}
	sumWords    = []string{"total", "sum", "summe", "gesamt", "gesamtbetrag", "gesamtsumme", "gesamtpreis", "balance", "saldo", "kontostand", "guthaben"}
	moneyPlaces = []string{"order", "bestellung", "payment", "zahlung", "invoice", "rechnung", "booking", "buchung", "donation", "spende", "expense", "ausgabe", "account", "konto", "transaction", "transaktion", "purchase", "kauf", "wallet", "bill", "customer", "kunde"}
)

// messageWords name messages to a person.
var messageWords = []string{"message", "messages", "nachricht", "mitteilung", "msg", "anliegen", "inquiry", "enquiry", "anfrage"}

// Words in collections' names that make otherwise private fields public.
var (
	// publicPlaces have texts that people write for everybody.
	publicPlaces = []string{"guestbook", "gaestebuch", "gastebuch", "guest", "entry", "entries", "eintrag", "comment", "kommentar", "post", "beitrag", "beitraege", "review", "bewertung", "rezension", "testimonial", "wall", "shout", "greeting", "gruss", "gruesse", "wish", "wuensche", "announcement", "ankuendigung", "news", "neuigkeit", "blog", "article", "artikel", "notice", "aushang", "thread", "topic", "forum", "reply", "replies", "antwort", "tweet", "quote", "zitat", "banner", "faq", "status", "update"}
	// venues have public addresses.
	venues = []string{"event", "veranstaltung", "termin", "venue", "location", "standort", "ort", "orte", "place", "store", "shop", "laden", "filiale", "branch", "restaurant", "cafe", "bar", "hotel", "office", "buero", "museum", "sight", "park", "company", "companies", "firma", "firmen", "unternehmen", "club", "verein", "school", "schule", "concert", "konzert", "market", "markt", "trip", "tour", "imprint", "impressum", "setting", "einstellung", "website", "site"}
	// quantities have amounts other than money.
	quantities = []string{"ingredient", "zutat", "recipe", "rezept", "product", "produkt", "inventory", "inventar", "stock", "lager", "menu", "speise", "plan", "price", "preis", "tarif", "item", "artikel", "nutrition", "naehrwert", "statistic", "statistik", "stat", "goal", "ziel"}
	// operators have information about the publisher.
	operators = []string{"imprint", "impressum"}
)

// trait is a property of a field besides its name.
type trait struct {
	// number is true if the values are numbers.
	number bool
	// letter is true if the record goes from one person to another.
	letter bool
	// summary is true if the records sum up others.
	summary bool
}

// privacyOf judges a field by its name and its collection's.
func privacyOf(collection, field string, has trait) privacy {
	words, places := wordsOf(field), wordsOf(collection)
	joined := strings.Join(words, "")
	switch {
	case isAny(places, operators):
		return open
	case isAny(words, moneyWords):
		if has.summary || isAny(places, quantities) {
			return open
		}
		return private
	case isAny(words, sumWords) && isAny(places, moneyPlaces) && !has.summary:
		return private
	case has.number && !isNumeric(joined):
		return open
	case isAny(words, messageWords):
		if has.letter {
			return private
		}
		return mild
	case isAddress(joined):
		if isAny(places, venues) {
			return open
		}
		return private
	}
	if isAny(words, privateWords) || slices.ContainsFunc(privateParts, func(part string) bool { return strings.Contains(joined, part) }) {
		return private
	}
	return open
}

// isNumeric reports whether a name is that of private data that may be a number.
func isNumeric(joined string) bool {
	return slices.ContainsFunc([]string{"phone", "telefon", "handy", "mobil", "zip", "plz", "post", "konto", "account", "card", "karte", "steuer", "tax", "ssn", "salary", "gehalt", "lohn", "wage", "income", "einkommen", "birth", "geburt", "token", "cvv", "otp"},
		func(part string) bool { return strings.Contains(joined, part) && !strings.Contains(joined, "count") })
}

// isAddress reports whether a name is that of a postal address.
func isAddress(joined string) bool {
	return !strings.Contains(joined, "mail") && !strings.Contains(joined, "ipad") &&
		slices.ContainsFunc([]string{"address", "adresse", "anschrift", "street", "strasse", "hausnummer", "housenumber", "postleitzahl", "plz", "zip", "postcode", "postalcode", "addr"}, func(part string) bool { return strings.Contains(joined, part) })
}

// isPublicPlace reports whether a collection has texts that people write for everybody.
func isPublicPlace(collection string) bool { return isAny(wordsOf(collection), publicPlaces) }

// isAny reports whether a word, or its singular, is one of a list.
func isAny(words, list []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		for _, ending := range []string{"", "s", "es", "n", "en", "e"} {
			if singular, ok := strings.CutSuffix(word, ending); ok && slices.Contains(list, singular) {
				return true
			}
		}
		return false
	})
}

// wordsOf splits a name such as e_mail, phoneNumber or IBANNumber2 into words in lower case. A
// single letter is joined with the next word: e_mail is email.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	runes := []rune(name)
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c):
			end()
			continue
		case unicode.IsUpper(c) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, c)
	}
	end()
	for i := 0; i+1 < len(words); i++ {
		if len(words[i]) == 1 {
			words = slices.Replace(words, i, i+2, words[i]+words[i+1])
		}
	}
	return words
}
