// Package passkeystest tests passkeys.Ceremonies against its port, and has a device to do so.
package passkeystest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/passkeys"
)

// origin is the address of the service that is tested.
const origin = "https://atelier.example.com:8443"

// Run tests an implementation of passkeys.Ceremonies against its port. open returns the ceremonies of
// a service at an address.
func Run(t *testing.T, open func(origin string) passkeys.Ceremonies) {
	clauses := map[string]func(*testing.T, func(string) passkeys.Ceremonies){
		"a passkey that was made can be used":             madeAndUsed,
		"the options name the service, person and keys":   whatIsAsked,
		"an answer is read without being believed":        whatIsRead,
		"invalid answers are refused":                     garbage,
		"a passkey is made for one challenge and origin":  madeElsewhere,
		"an answer is to one challenge, origin and key":   usedElsewhere,
		"a device that checks nobody is not enough alone": unverified,
		"a service without a name has no passkeys":        nameless,
	}
	for name, clause := range clauses {
		t.Run(name, func(t *testing.T) { clause(t, open) })
	}
}

// made makes a passkey of a device for a person.
func made(t *testing.T, ceremonies passkeys.Ceremonies, device *Authenticator, person core.User) core.Passkey {
	t.Helper()
	challenge := core.NewSecret()
	asked, err := ceremonies.Creation(challenge, person, nil)
	if err != nil {
		t.Fatal(err)
	}
	passkey, err := ceremonies.Created(challenge, person.ID, device.Create(t, asked))
	if err != nil {
		t.Fatal(err)
	}
	passkey.UserID = person.ID
	return passkey
}

func somebody() core.User {
	return core.User{ID: core.NewID(), Email: "ada@example.com", DisplayName: new("Ada")}
}

func asked(t *testing.T, ceremonies passkeys.Ceremonies, challenge string, allowed []core.Passkey, verified bool) json.RawMessage {
	t.Helper()
	options, err := ceremonies.Request(challenge, allowed, verified)
	if err != nil {
		t.Fatal(err)
	}
	return options
}

func madeAndUsed(t *testing.T, open func(string) passkeys.Ceremonies) {
	for _, address := range []string{origin, "http://localhost:8080", "https://example.com"} {
		ceremonies, device := open(address), NewAuthenticator(t, address)
		passkey := made(t, ceremonies, device, somebody())
		if passkey.CredentialID != encoded(device.ID) || passkey.SignCount != 1 || !slices.Equal(passkey.Transports, []string{"internal"}) || passkey.Synced {
			t.Errorf("%s: got %+v, want the key of the device", address, passkey)
		}
		for _, verified := range []bool{true, false} {
			challenge := core.NewSecret()
			answer := device.Get(t, asked(t, ceremonies, challenge, []core.Passkey{passkey}, verified))
			count, err := ceremonies.Used(challenge, passkey, verified, answer)
			if err != nil || count != int64(device.Count) {
				t.Errorf("%s: got %d, %v, want the counter %d", address, count, err, device.Count)
			}
		}
	}
}

func whatIsAsked(t *testing.T, open func(string) passkeys.Ceremonies) {
	ceremonies, person, challenge := open(origin), somebody(), core.NewSecret()
	passkey := made(t, ceremonies, NewAuthenticator(t, origin), person)
	creation, err := ceremonies.Creation(challenge, person, []core.Passkey{passkey})
	if err != nil {
		t.Fatal(err)
	}
	read := optionsOf(t, creation)
	if read.Challenge != challenge || read.RP.ID != "atelier.example.com" || read.User.ID != encoded([]byte(person.ID)) {
		t.Errorf("got %+v, want the challenge, the name of the service and the person", read)
	}
	one := asked(t, ceremonies, challenge, []core.Passkey{passkey}, false)
	for _, options := range []json.RawMessage{creation, one} {
		if !strings.Contains(string(options), passkey.CredentialID) {
			t.Errorf("got %s, want the credential named", options)
		}
	}
	if strings.Contains(string(one), `"required"`) {
		t.Errorf("got %s, want no verification required", one)
	}
	alone := asked(t, ceremonies, challenge, nil, true)
	if read := optionsOf(t, alone); read.Challenge != challenge || read.RPID != "atelier.example.com" || !strings.Contains(string(alone), `"userVerification":"required"`) {
		t.Errorf("got %s, want the challenge, the service, and verification", alone)
	}
}

func whatIsRead(t *testing.T, open func(string) passkeys.Ceremonies) {
	ceremonies, person, challenge := open(origin), somebody(), core.NewSecret()
	device := NewAuthenticator(t, "https://elsewhere.example.com")
	device.Person = person.ID
	creation, err := ceremonies.Creation(challenge, person, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ceremonies.Read(device.Create(t, creation))
	if want := (passkeys.Answer{Challenge: challenge, CredentialID: encoded(device.ID)}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	got, err = ceremonies.Read(device.Get(t, asked(t, ceremonies, challenge, nil, true)))
	if want := (passkeys.Answer{Challenge: challenge, CredentialID: encoded(device.ID), Person: person.ID}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func garbage(t *testing.T, open func(string) passkeys.Ceremonies) {
	ceremonies, person := open(origin), somebody()
	device := NewAuthenticator(t, origin)
	passkey := made(t, ceremonies, device, person)
	for _, text := range []string{
		"", "null", "[]", "{}", "7", `"x"`, `{"id":1}`, `{"id":"AA","rawId":"AA","type":"public-key","response":null}`,
		`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"!"}}`,
		`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30"}}`,
		`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA","authenticatorData":"AA","publicKey":"AA","signature":"AA"}}`,
		strings.Repeat("[", 10_000),
	} {
		if got, err := ceremonies.Read(json.RawMessage(text)); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%.60q: got %+v, %v, want code %s", text, got, err, core.CodeValidationFailed)
		}
		if _, err := ceremonies.Created(core.NewSecret(), person.ID, json.RawMessage(text)); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%.60q: got %v, want code %s", text, err, core.CodeValidationFailed)
		}
		if _, err := ceremonies.Used(core.NewSecret(), passkey, false, json.RawMessage(text)); !core.IsCode(err, core.CodeInvalidCredentials) {
			t.Errorf("%.60q: got %v, want code %s", text, err, core.CodeInvalidCredentials)
		}
	}
}

func madeElsewhere(t *testing.T, open func(string) passkeys.Ceremonies) {
	ceremonies, person, challenge := open(origin), somebody(), core.NewSecret()
	creation, err := ceremonies.Creation(challenge, person, nil)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := open("https://other.example.com").Creation(challenge, person, nil)
	if err != nil {
		t.Fatal(err)
	}
	here := NewAuthenticator(t, origin)
	for name, answer := range map[string]json.RawMessage{
		"another origin":  NewAuthenticator(t, "https://evil.example.com").Create(t, creation),
		"another port":    NewAuthenticator(t, "https://atelier.example.com").Create(t, creation),
		"another service": here.Create(t, foreign),
		"a use":           here.Get(t, asked(t, ceremonies, challenge, nil, true)),
	} {
		if got, err := ceremonies.Created(challenge, person.ID, answer); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %+v, %v, want code %s", name, got, err, core.CodeValidationFailed)
		}
	}
	if got, err := ceremonies.Created(core.NewSecret(), person.ID, here.Create(t, creation)); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("another challenge: got %+v, %v, want code %s", got, err, core.CodeValidationFailed)
	}
}

func usedElsewhere(t *testing.T, open func(string) passkeys.Ceremonies) {
	ceremonies, person, challenge := open(origin), somebody(), core.NewSecret()
	device, other := NewAuthenticator(t, origin), NewAuthenticator(t, origin)
	passkey := made(t, ceremonies, device, person)
	made(t, ceremonies, other, person)
	request := asked(t, ceremonies, challenge, nil, true)
	twin := *other
	twin.ID = device.ID
	away, stranger := *device, *device
	away.Origin, stranger.Person = "https://evil.example.com", core.NewID()
	tampered := device.Get(t, request)
	for name, answer := range map[string]json.RawMessage{
		"another origin":    away.Get(t, request),
		"another key":       twin.Get(t, request),
		"another id":        other.Get(t, request),
		"another person":    stranger.Get(t, request),
		"another service":   device.Get(t, asked(t, open("https://other.example.com"), challenge, nil, true)),
		"another challenge": device.Get(t, asked(t, ceremonies, core.NewSecret(), nil, true)),
		"another signature": withResponse(t, tampered, "signature", "MEUCIQ"),
		"other data":        withResponse(t, tampered, "authenticatorData", encoded(device.data("atelier.example.com", 8))),
		"no data":           withResponse(t, tampered, "authenticatorData", ""),
	} {
		if count, err := ceremonies.Used(challenge, passkey, true, answer); !core.IsCode(err, core.CodeInvalidCredentials) {
			t.Errorf("%s: got %d, %v, want code %s", name, count, err, core.CodeInvalidCredentials)
		}
	}
}

// withResponse changes a field of an answer.
func withResponse(t *testing.T, answer json.RawMessage, field, value string) json.RawMessage {
	t.Helper()
	var parsed map[string]any
	if err := json.Unmarshal(answer, &parsed); err != nil {
		t.Fatal(err)
	}
	response, ok := parsed["response"].(map[string]any)
	if !ok {
		t.Fatalf("got %s, want a response", answer)
	}
	response[field] = value
	changed, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func unverified(t *testing.T, open func(string) passkeys.Ceremonies) {
	ceremonies, challenge := open(origin), core.NewSecret()
	device := NewAuthenticator(t, origin)
	device.Unverified = true
	passkey := made(t, ceremonies, device, somebody())
	answer := device.Get(t, asked(t, ceremonies, challenge, nil, false))
	if _, err := ceremonies.Used(challenge, passkey, false, answer); err != nil {
		t.Errorf("as a second factor: got %v, want it to work", err)
	}
	if _, err := ceremonies.Used(challenge, passkey, true, answer); !core.IsCode(err, core.CodeInvalidCredentials) {
		t.Errorf("alone: got %v, want code %s", err, core.CodeInvalidCredentials)
	}
}

func nameless(t *testing.T, open func(string) passkeys.Ceremonies) {
	for _, address := range []string{"http://127.0.0.1:8080", "http://[::1]:8080", "https://192.0.2.7"} {
		ceremonies := open(address)
		_, creating := ceremonies.Creation(core.NewSecret(), somebody(), nil)
		_, requesting := ceremonies.Request(core.NewSecret(), nil, true)
		for what, err := range map[string]error{"creation": creating, "request": requesting} {
			if !core.IsCode(err, core.CodeConflict) {
				t.Errorf("%s: got %v, want code %s", fmt.Sprintf("%s at %s", what, address), err, core.CodeConflict)
			}
		}
	}
}
