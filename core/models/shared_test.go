package models_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// newInstallation returns an office whose person is an admin of the installation.
func newInstallation(t *testing.T, platform models.Platform) (*office, core.Actor) {
	t.Helper()
	o := newOffice(t, platform)
	operator := core.User{ID: core.NewID(), Email: "operator@example.com", Admin: true}
	must(t, o.store.Tables().Users.Create(t.Context(), operator))
	return o, core.Actor{UserID: operator.ID}
}

func shared(kind core.ProviderKind, name, key string) models.SharedInput {
	return models.SharedInput{ProviderInput: input(kind, name, key)}
}

func TestOnlyAdminsKeepThePlatformsProviders(t *testing.T) {
	o, operator := newInstallation(t, models.Platform{})
	made, err := o.Shared().Create(t.Context(), operator, shared(core.ProviderOpenAI, "Company", key))
	must(t, err)
	for name, err := range map[string]error{
		"list":   second(o.Shared().List(t.Context(), o.admin)),
		"create": first(o.Shared().Create(t.Context(), o.admin, shared(core.ProviderOpenAI, "Mine", key))),
		"update": first(o.Shared().Update(t.Context(), o.admin, made.ID, models.SharedInput{})),
		"delete": o.Shared().Delete(t.Context(), o.admin, made.ID),
		"test":   first(o.Shared().Test(t.Context(), o.admin, made.ID)),
		"models": first(o.Shared().Models(t.Context(), o.admin, made.ID)),
	} {
		if !core.IsCode(err, core.CodeForbidden) {
			t.Errorf("%s: got %v, want forbidden", name, err)
		}
	}
}

func first[T any](_ T, err error) error { return err }

func second[T, U any](_ T, _ U, err error) error { return err }

func TestAPlatformsKeyIsSealedForItsRow(t *testing.T) {
	o, operator := newInstallation(t, models.Platform{})
	made, err := o.Shared().Create(t.Context(), operator, shared(core.ProviderOpenAI, "Company", key))
	must(t, err)
	stored, err := o.store.Tables().PlatformProviders.ByID(t.Context(), made.ID)
	must(t, err)
	if len(stored.SealedKey) == 0 || strings.Contains(string(stored.SealedKey), "0123456789") || !made.HasKey {
		t.Fatalf("got %+v, want a sealed key", made)
	}
	choice, err := o.Choose(t.Context(), o.workspace, "")
	must(t, err)
	opened := o.factory.Opened()
	if last := opened[len(opened)-1]; last.Key != key || last.Trusted || !choice.Platform {
		t.Fatalf("got %+v, want the key, on the guarded way, at the platform's expense", last)
	}
	address := "http://169.254.169.254/"
	_, err = o.Shared().Update(t.Context(), operator, made.ID, models.SharedInput{ProviderInput: models.ProviderInput{BaseURL: &address}})
	if !core.IsCode(err, core.CodeForbiddenAddress) {
		t.Fatalf("got %v, want the address refused", err)
	}
	// A key that was copied into a workspace's row opens nothing.
	thief := stored.Provider
	thief.WorkspaceID, thief.IsDefault = o.workspace, true
	must(t, o.store.Tables().Providers.Create(t.Context(), thief))
	if choice, err := o.Choose(t.Context(), o.workspace, ""); err == nil {
		t.Fatalf("got %+v, want the key bound to the platform's row", choice)
	}
}

func TestWhichProviderAnswers(t *testing.T) {
	o, operator := newInstallation(t, models.Platform{Kind: core.ProviderDemo})
	answers := func(wanted string, kind core.ProviderKind, platform bool) {
		t.Helper()
		choice, err := o.Choose(t.Context(), o.workspace, wanted)
		if err != nil || choice.Kind != kind || choice.Platform != platform {
			t.Fatalf("%q: got %s (platform %v), %v, want %s (platform %v)", wanted, choice.Kind, choice.Platform, err, kind, platform)
		}
	}
	refused := func(wanted string) {
		t.Helper()
		if choice, err := o.Choose(t.Context(), o.workspace, wanted); !core.IsCode(err, core.CodeNoProvider) {
			t.Fatalf("%q: got %+v, %v, want no_provider", wanted, choice, err)
		}
	}
	made, err := o.Shared().Create(t.Context(), operator, shared(core.ProviderOpenAI, "Company", key))
	must(t, err)
	if !made.IsDefault || !made.Enabled {
		t.Fatalf("got %+v, want the first to replace the demo", made)
	}
	if _, fixed, err := o.Shared().List(t.Context(), operator); err != nil || fixed == nil || fixed.Kind != core.ProviderDemo || fixed.IsDefault {
		t.Fatalf("got %+v, %v, want the settings' shown, and not the default", fixed, err)
	}
	answers("", core.ProviderOpenAI, true)
	if kind := o.DefaultKind(t.Context(), nil); kind != core.ProviderOpenAI {
		t.Fatalf("got %s, want the platform's default named", kind)
	}
	own, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOllama, "Local", ""))
	must(t, err)
	answers("", core.ProviderOllama, false)
	answers(string(made.ID)+"/gpt-4o", core.ProviderOpenAI, true)
	lent, err := o.Models(t.Context(), o.member, o.workspace, made.ID)
	if err != nil || len(lent) != 1 || lent[0].ID != "gpt-4o" {
		t.Fatalf("got %+v, %v, want a member to see its models", lent, err)
	}
	off := false
	made, err = o.Shared().Update(t.Context(), operator, made.ID, models.SharedInput{Enabled: &off})
	if err != nil || made.IsDefault || !made.HasKey {
		t.Fatalf("got %+v, %v, want it off, with its key, and not the default", made, err)
	}
	refused(string(made.ID) + "/gpt-4o")
	if _, err := o.Models(t.Context(), o.member, o.workspace, made.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Fatalf("got %v, want one that is off to be unknown to members", err)
	}
	must(t, o.Delete(t.Context(), o.admin, o.workspace, own.ID))
	answers("", core.ProviderDemo, true)
	on := true
	if _, err := o.Shared().Update(t.Context(), operator, made.ID, models.SharedInput{ProviderInput: models.ProviderInput{IsDefault: &on}}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Fatalf("got %v, want no default that is off", err)
	}
	_, err = o.Shared().Update(t.Context(), operator, made.ID, models.SharedInput{Enabled: &on, ProviderInput: models.ProviderInput{IsDefault: &on}})
	must(t, err)
	answers("", core.ProviderOpenAI, true)
	must(t, o.Shared().Delete(t.Context(), operator, made.ID))
	answers("", core.ProviderDemo, true)
	refused(string(made.ID) + "/gpt-4o")
}
