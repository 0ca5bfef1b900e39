package core_test

import (
	"os"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestTheCommonestPasswordsAreRefused(t *testing.T) {
	for _, password := range []string{
		"password", "Password", "PASSWORD1", "password123", "P@ssw0rd", "Passw0rd!", "pa$$word1", "12345678", "123456789", "87654321", "1234567890",
		"qwerty123", "Qwertz123!", "qwertyuiop", "1q2w3e4r", "1qaz2wsx", "zaq12wsx", "asdfghjkl", "iloveyou", "ILoveYou2", "letmein1", "trustno1",
		"sunshine", "princess1", "football", "baseball1", "superman", "michael1", "welcome1", "Welcome123", "admin123", "administrator", "changeme",
		"11111111", "aaaaaaaa", "abcabcabc", "12341234", "abcd1234", "abc12345", "monkey123", "dragon99", "Summer2024", "Summer2025!", "passwort1",
		"motdepasse", "qwertyqwerty", "lovelove", "starwars", "computer", "jennifer", "!@#$%^&*", "password!", "123qweasd", "asdf1234", "Atelier2026",
	} {
		err := core.CheckPassword(password)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "common one") {
			t.Errorf("%q: got %v, want it refused with the rule", password, err)
		}
	}
}

func TestOtherPasswordsAreTaken(t *testing.T) {
	for _, password := range []string{
		"correct horse", "correct horse battery staple", "long enough", "new password", "wrong password", "another password", "Tr0ub4dor&3",
		"fKe9!x2Lq", "the monkey eats", "drache-im-schnee", "пароль из слов", "短い秘密の言葉です", "dragon8493726152", "qwm4zt8p", strings.Repeat("ab1x9", 200),
	} {
		if err := core.CheckPassword(password); err != nil {
			t.Errorf("%q: got %v, want it taken", password, err)
		}
	}
}

func FuzzCheckPassword(f *testing.F) {
	f.Add("P@ssw0rd!")
	f.Add("qwertz\xffuiop")
	f.Fuzz(func(t *testing.T, text string) {
		if err := core.CheckPassword(text); err != nil && !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, want it taken or refused", text, err)
		}
	})
}

func TestFrequentPasswordsOfLeaksAreRefused(t *testing.T) {
	text, err := os.ReadFile("password_leaked.txt")
	if err != nil {
		t.Fatal(err)
	}
	passwords := strings.Fields(string(text))
	if len(passwords) < 3000 {
		t.Fatalf("got %d passwords, want at least 3000", len(passwords))
	}
	for _, password := range passwords {
		for _, typed := range []string{password, strings.ToUpper(password)} {
			if err := core.CheckPassword(typed); !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("%q: got %v, want it refused", typed, err)
			}
		}
	}
}

func TestPasswordsDoNotContainWhatEverybodyKnows(t *testing.T) {
	ada := core.User{Email: "ada.byron1815@example.com", DisplayName: new("Ada Lovelace-Étoile Ng")}
	for _, password := range []string{
		"lovelace & engine", "the LOVELACE engine", "x ada.byron1815 x", "Byron on the moon", "étoile du matin", "ETOILE du matin", "my atelier at sea",
		"ATELIER at the sea", "ada lovelace-étoile ng", "my ada.byron words",
	} {
		err := ada.CheckPassword(password)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "your name") || strings.Contains(err.Error(), password) {
			t.Errorf("%q: got %v, want it refused with the rule", password, err)
		}
	}
	for _, password := range []string{"canada and the sea", "long enough", "engine of 1815", "example of a sea"} {
		if err := ada.CheckPassword(password); err != nil {
			t.Errorf("%q: got %v, want it taken", password, err)
		}
	}
	if err := ada.CheckPassword("short"); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "8 to 1024") {
		t.Errorf("got %v, want a short one refused for its length", err)
	}
	for _, password := range []string{"bob@example.com", "BOB@example.com", "my bob@example.com!"} {
		if err := (core.User{Email: "bob@example.com"}).CheckPassword(password); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "your e-mail address") {
			t.Errorf("%q: got %v, want a short address refused as well", password, err)
		}
	}
	if err := (core.User{Email: "bob@example.com"}).CheckPassword("bob has a boat"); err != nil {
		t.Errorf("got %v, want three characters taken", err)
	}
}
