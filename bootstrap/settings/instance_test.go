package settings_test

import (
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
)

func TestWhoMaySignUp(t *testing.T) {
	for listen, want := range map[string]core.SignupPolicy{
		"": core.SignupOpen, "127.0.0.1:80": core.SignupOpen, "localhost:8080": core.SignupOpen, "[::1]:8080": core.SignupOpen,
		":8080": core.SignupInvite, "0.0.0.0:8080": core.SignupInvite, "192.0.2.1:443": core.SignupInvite, "[::]:8080": core.SignupInvite,
	} {
		read, err := settings.Read(func(name string) string { return map[string]string{"LISTEN_ADDR": listen}[name] })
		if err != nil || read.Instance.Preset != want || read.Instance.Signup != "" {
			t.Errorf("LISTEN_ADDR=%q: got %+v, %v, want the preset %s, and nothing fixed", listen, read.Instance, err, want)
		}
	}
	read, err := settings.Read(func(name string) string {
		return map[string]string{"SIGNUP": "domains", "SIGNUP_DOMAINS": "Example.com, @b.example", "ADMIN_EMAILS": "Ada@Example.com bob@b.example", "PASSWORD_SIGN_IN": "false"}[name]
	})
	want := settings.Instance{
		Signup: core.SignupDomains, Preset: core.SignupOpen, SignupDomains: []string{"example.com", "b.example"},
		AdminEmails: core.AdminEmails{"ada@example.com", "bob@b.example"}, PasswordSignIn: new(false),
	}
	if err != nil || !reflect.DeepEqual(read.Instance, want) {
		t.Errorf("got %+v, %v, want %+v", read.Instance, err, want)
	}
	for name, env := range map[string]map[string]string{
		"SIGNUP":         {"SIGNUP": "everybody"},
		"SIGNUP_DOMAINS": {"SIGNUP": "domains"},
		"ADMIN_EMAILS":   {"ADMIN_EMAILS": "ada"},

		"PASSWORD_SIGN_IN": {"PASSWORD_SIGN_IN": "no"},
	} {
		if _, err := settings.Read(func(name string) string { return env[name] }); err == nil {
			t.Errorf("%v: got no error, want one that names %s", env, name)
		}
	}
}
