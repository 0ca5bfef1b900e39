package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestSignInProviderCheck(t *testing.T) {
	right := core.SignInProvider{Name: "oidc", ClientID: "id", DisplayName: "Log in", AuthURL: "https://id.example/auth"}
	if err := right.Check(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
	for member, change := range map[string]func(p *core.SignInProvider){
		"clientId must":     func(p *core.SignInProvider) { p.ClientID = "" },
		"clientId must be":  func(p *core.SignInProvider) { p.ClientID = " id" },
		"displayName must":  func(p *core.SignInProvider) { p.DisplayName = "a\nb" },
		"authURL must be":   func(p *core.SignInProvider) { p.AuthURL = "https://id.example/\x00" },
		"tokenURL must be":  func(p *core.SignInProvider) { p.TokenURL = strings.Repeat("a", core.MaxProviderURLChars+1) },
		"userInfoURL must ": func(p *core.SignInProvider) { p.UserInfoURL = "\xff" },
	} {
		wrong := right
		change(&wrong)
		if err := wrong.Check(); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), member) {
			t.Errorf("got %v, want %q", err, member)
		}
	}
}

func TestCheckClientSecret(t *testing.T) {
	for secret, right := range map[string]bool{
		"a secret": true, strings.Repeat("é", core.MaxClientSecretBytes/2): true,
		"": false, "copied badly ": false, "a\nb": false, "\xff": false, strings.Repeat("é", core.MaxClientSecretBytes/2) + "a": false,
	} {
		if err := core.CheckClientSecret(secret); (err == nil) != right || err != nil && secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("got %v for %.20q", err, secret)
		}
	}
}
