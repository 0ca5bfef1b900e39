package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestNormalEmailFoldsSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"ada@example.com":                         "ada@example.com",
		"  Ada@Example.COM\r\n":                   "ada@example.com",
		"\u00a0ada@example.com\u2003":             "ada@example.com",
		"ada.lovelace+tag@sub.example.co":         "ada.lovelace+tag@sub.example.co",
		"a@b":                                     "a@b",
		"ada@127.0.0.1":                           "ada@127.0.0.1",
		"o'brien@example.com":                     "o'brien@example.com",
		"!#$%&*+/=?^_`{|}~-@example.com":          "!#$%&*+/=?^_`{|}~-@example.com",
		"MÜLLER@Bücher.example":                   "müller@bücher.example",
		"用户@例子.公司":                                "用户@例子.公司",
		strings.Repeat("a", 242) + "@example.com": strings.Repeat("a", 242) + "@example.com",
	} {
		got, err := core.NormalEmail(text)
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestNormalEmailRefusesWhatIsNoAddress(t *testing.T) {
	for _, text := range []string{
		"", " ", "@", "a", "a@", "@b", "a@b@c", "a@@b", "a b@c", "a@b c", "a\tb@c", "a@b\nBcc: x@y", "a@b\r\nBcc: x", "a@b\x00", "a\x7fb@c",
		"Ada <ada@example.com>", "<ada@example.com>", "ada@example.com,eve@example.com", "ada@example.com;eve@example.com", `"a b"@c`, `a\@b`, "a(b)@c", "a@[127.0.0.1]", "a:b@c",
		"a@.b", "a@b.", "a@b..c", "a@.", "a\u0085b@c", "a\u2028b@c", "a\u00a0b@c", "a\u200bb@c", "a\u202eb@c", "\ufeffa@b\xff", "a\xff@b", "a@\xc3",
		strings.Repeat("a", 243) + "@example.com",
	} {
		wantEmailRefused(t, text)
	}
}

// TestNormalEmailNeverFoldsIntoASCII: a letter of another alphabet that folds to an
// ASCII one would make two addresses one, and give one person's account to the
// other.
func TestNormalEmailNeverFoldsIntoASCII(t *testing.T) {
	for _, text := range []string{"m\u0130ke@example.com", "mi\u212ae@example.com", "mike@example.com\u212a", "\u0130@\u0130"} {
		wantEmailRefused(t, text)
	}
	for r := rune(0x80); r <= 0xffff; r++ {
		email, err := core.NormalEmail("a" + string(r) + "@b")
		if err == nil && len(email) <= len("aa@b") {
			t.Errorf("%+q: got %q, want it refused or kept apart from ASCII", r, email)
		}
	}
}

func wantEmailRefused(t *testing.T, text string) {
	t.Helper()
	if got, err := core.NormalEmail(text); core.CodeOf(err) != core.CodeValidationFailed || got != "" {
		t.Errorf("%+.60q: got %q, %v, want code validation_failed", text, got, err)
	}
}

func FuzzNormalEmail(f *testing.F) {
	for _, seed := range []string{"ada@example.com", " Ada@Example.COM ", "a@b@c", "m\u0130ke@x", "\u01c5@x", "ΑΣ@x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		email, err := core.NormalEmail(text)
		if err != nil {
			return
		}
		if again, err := core.NormalEmail(email); err != nil || again != email {
			t.Fatalf("%+q: got %+q, %v from the normal form %+q, want it unchanged", text, again, err, email)
		}
		if strings.ContainsAny(email, "\r\n\x00 <>,;") || strings.Count(email, "@") != 1 || len(email) > core.MaxEmailBytes {
			t.Fatalf("%+q: got %+q, which could break a header", text, email)
		}
	})
}

func TestCheckPassword(t *testing.T) {
	for password, ok := range map[string]bool{
		"":             false,
		"1234567":      false,
		"fK3 9x2L":     true,
		"12345678":     false,
		"ééééééé":      false,
		"éàéüéöçß":     true,
		"👍🎈🎉🚲🌵🍕🎻👍":     true,
		"past\x00worm": true,
		"1234567\xff":  false,
		strings.Repeat("é", core.MaxPasswordChars):   true,
		strings.Repeat("a", core.MaxPasswordChars+1): false,
	} {
		err := core.CheckPassword(password)
		if (err == nil) != ok || err != nil && core.CodeOf(err) != core.CodeValidationFailed {
			t.Errorf("%.20q: got %v, want accepted %v", password, err, ok)
		}
		if err != nil && password != "" && strings.Contains(err.Error(), password) {
			t.Errorf("%.20q: the error repeats the password", password)
		}
	}
}

func TestCheckName(t *testing.T) {
	for text, want := range map[string]string{
		"Ada": "Ada", "  Ada  Lovelace\n": "Ada  Lovelace", "日本": "日本", "ééééé": "ééééé", "<b>": "<b>", "عمر": "عمر",
		"👩\u200d👧": "👩\u200d👧", "می\u200cخواهم": "می\u200cخواهم", "☕\ufe0f": "☕\ufe0f", "\u0600٢": "\u0600٢",
	} {
		if got, err := core.CheckName("name", text, 13); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "\t\n", "a\nb", "a\x00", "\x1b[1m", "a\x7fb", "a\u0085b", "a\u009bb", "a\xff",
		"a\u202eb", "a\u202a", "\u2066a\u2069", "\u200fعمر", "a\u200eb", "a\u061cb", "a\u200bb", "a\u2060b", "a\u00adb", "\ufeffa", "a\u2028b",
		"a\u200db", "a\u200d", "\u200d", "\u200c\u200c", "\u3164", "a\u115fb", "a\u034fb", "a\ufffeb", "a\U000e0041b", "12345678901234"} {
		got, err := core.CheckName("displayName", text, 13)
		if core.CodeOf(err) != core.CodeValidationFailed || got != "" || !strings.Contains(err.Error(), "displayName") {
			t.Errorf("%q: got %q, %v, want code validation_failed and the field's name", text, got, err)
		}
	}
}

func TestCleanName(t *testing.T) {
	for text, want := range map[string]string{
		"Ada\u202e\u200b\n": "Ada", "\u200fعمر": "عمر", "👩\u200d👧": "👩\u200d👧", "a\u200db": "ab", "\x00\xff": "", "\u200d\u200d": "",
	} {
		if got := core.CleanName(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
