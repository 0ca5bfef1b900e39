package people_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// refusal is an attack on a second factor, and how the service refuses it.
type refusal struct {
	what   string
	status int
	code   core.Code
	do     func(k *keeper) storytest.Answer
}

const (
	unauthorized = http.StatusUnauthorized
	badRequest   = http.StatusBadRequest
)

// withCode finishes a new sign-in with whatever of makes of the keeper.
func withCode(of func(k *keeper) any) func(*keeper) storytest.Answer {
	return func(k *keeper) storytest.Answer {
		code := of(k)
		return k.finish(k.token(), code)
	}
}

// codeRefusals are texts that are no code, or none any more.
func codeRefusals() []refusal {
	wrong := func(what string, of func(k *keeper) any) refusal {
		return refusal{what, unauthorized, core.CodeInvalidCredentials, withCode(of)}
	}
	inDigits := func(k *keeper, zero rune) string {
		return strings.Map(func(r rune) rune { return zero + r - '0' }, k.fresh())
	}
	return []refusal{
		wrong("the code that confirmed the setup", func(k *keeper) any { return k.code(0) }),
		wrong("the code of the step before the one that was used", func(k *keeper) any { return k.code(-1) }),
		wrong("a code from the future", func(k *keeper) any { return k.code(5) }),
		wrong("a code of an hour ago", func(k *keeper) any { return k.code(-120) }),
		wrong("a wrong code", func(k *keeper) any { return k.wrong() }),
		wrong("no code", func(*keeper) any { return "" }),
		wrong("spaces", func(*keeper) any { return "      " }),
		wrong("Arabic digits", func(k *keeper) any { return inDigits(k, '٠') }),
		wrong("fullwidth digits", func(k *keeper) any { return inDigits(k, '０') }),
		wrong("mathematical digits", func(k *keeper) any { return inDigits(k, '𝟎') }),
		wrong("a right code and more", func(k *keeper) any { return k.fresh() + "0" }),
		wrong("the end of a right code", func(k *keeper) any { return k.fresh()[1:] }),
		wrong("a right code with a sign", func(k *keeper) any { return "+" + k.fresh() }),
		wrong("a right code and a line feed", func(k *keeper) any { return k.fresh() + "\n" }),
		wrong("a right code and a NUL", func(k *keeper) any { return k.fresh() + "\x00" }),
		wrong("a right code among zero-width spaces", func(k *keeper) any { return k.fresh()[:3] + "\u200b" + k.fresh()[3:] }),
		wrong("two right codes", func(k *keeper) any { return k.fresh() + "," + k.code(2) }),
		wrong("a long text", func(*keeper) any { return strings.Repeat("7", 100_000) }),
		wrong("the secret", func(k *keeper) any { return k.setup.Secret }),
		wrong("the address of the QR code", func(k *keeper) any { return k.setup.URI }),
		wrong("the password", func(*keeper) any { return "long enough" }),
		wrong("the hash of a recovery code", func(k *keeper) any { return core.HashRecoveryCode(k.User.ID, k.recovery[0]) }),
		wrong("half a recovery code", func(k *keeper) any { return k.recovery[0][:9] }),
		wrong("all recovery codes", func(k *keeper) any { return strings.Join(k.recovery, " ") }),
		wrong("a pattern", func(*keeper) any { return "%" }),
		wrong("a guess at SQL", func(*keeper) any { return "' OR '1'='1" }),
		wrong("a recovery code that another account has", func(k *keeper) any { return newKeeper(k.Site).recovery[0] }),
		wrong("a code of another account's app", func(k *keeper) any { return newKeeper(k.Site).fresh() }),
		wrong("a recovery code from before new ones", func(k *keeper) any {
			k.Must(http.StatusOK, http.MethodPost, "/auth/mfa/recovery-codes", storytest.Fields{"password": "long enough"}, nil)
			return k.recovery[0]
		}),
		wrong("a recovery code that was used", func(k *keeper) any {
			k.wantIn("the first use", k.finish(k.token(), k.recovery[0]))
			return k.recovery[0]
		}),
		wrong("a code that was used for another sign-in", func(k *keeper) any {
			k.wantIn("the first use", k.finish(k.token(), k.fresh()))
			return k.fresh()
		}),
		wrong("a code that was used for new recovery codes", func(k *keeper) any {
			k.Must(http.StatusOK, http.MethodPost, "/auth/mfa/recovery-codes", storytest.Fields{"code": k.fresh()}, nil)
			return k.fresh()
		}),
		wrong("a code that was used for another setup", func(k *keeper) any {
			k.begin(k.fresh())
			return k.fresh()
		}),
		wrong("a code of a setup that is not confirmed", func(k *keeper) any {
			next := &keeper{account: k.account, confirmed: k.confirmed, setup: k.begin(k.recovery[0])}
			return next.fresh()
		}),
		{"a number instead of a text", badRequest, core.CodeInvalidRequest, withCode(func(k *keeper) any {
			number, _ := strconv.Atoi(k.fresh())
			return number
		})},
		{"a list of codes", badRequest, core.CodeInvalidRequest, withCode(func(k *keeper) any { return []string{k.wrong(), k.fresh()} })},
		{"null", badRequest, core.CodeInvalidRequest, withCode(func(*keeper) any { return nil })},
	}
}

// withToken finishes with a right code and whatever of makes of the keeper.
func withToken(of func(k *keeper) any) func(*keeper) storytest.Answer {
	return func(k *keeper) storytest.Answer { return k.finish(of(k), k.fresh()) }
}

// spoiled finishes a sign-in after something happened.
func spoiled(spoil func(k *keeper)) func(*keeper) storytest.Answer {
	return withToken(func(k *keeper) any {
		token := k.token()
		spoil(k)
		return token
	})
}

// tokenRefusals are texts that are no token of a second step, or none any more.
func tokenRefusals() []refusal {
	void := func(what string, do func(*keeper) storytest.Answer) refusal {
		return refusal{what, badRequest, core.CodeInvalidToken, do}
	}
	byAdmin := func(k *keeper, method, path string, body any) {
		_ = k.admin().Must(http.StatusOK, method, "/admin/users/"+string(k.User.ID)+path, body, nil)
	}
	return []refusal{
		void("no token", withToken(func(*keeper) any { return "" })),
		void("a guess", withToken(func(*keeper) any { return strings.Repeat("a", 43) })),
		void("the hash of a token", withToken(func(k *keeper) any { return core.HashSecret(k.token()) })),
		void("an access token", withToken(func(k *keeper) any { return k.Token })),
		void("a refresh token", withToken(func(k *keeper) any { return k.refresh })),
		void("an API token", withToken(func(k *keeper) any { return apiToken(k.Caller) })),
		void("a link of a mail", withToken(func(k *keeper) any {
			forgot(k.Site, k.User.Email)
			return resetToken(k.Site, mails(k.Site, k.User.Email, 1)[0])
		})),
		void("a token that was used", withToken(func(k *keeper) any {
			token := k.token()
			k.wantIn("the first use", k.finish(token, k.recovery[0]))
			return token
		})),
		void("a token after five wrong codes", spoiledWith(accounts.MaxWrongCodes)),
		void("a token from before a new password", spoiled(func(k *keeper) {
			k.Must(http.StatusOK, http.MethodPatch, "/auth/me", storytest.Fields{"currentPassword": "long enough", "password": "of another kind"}, nil)
		})),
		void("a token from before a reset of the password", spoiled(func(k *keeper) { k.resetPassword("of another kind") })),
		void("a token from before signing out everywhere", spoiled(func(k *keeper) { k.Must(http.StatusNoContent, http.MethodPost, "/auth/logout-all", nil, nil) })),
		void("a token from before the factor was turned off", spoiled(func(k *keeper) {
			k.Must(http.StatusNoContent, http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"password": "long enough"}, nil)
		})),
		void("a token from before another app", spoiled(func(k *keeper) { k.turnOn(k.recovery[0]) })),
		void("a token of an account that was disabled since", spoiled(func(k *keeper) {
			byAdmin(k, http.MethodPatch, "", storytest.Fields{"disabled": true})
		})),
		{"a null token", badRequest, core.CodeInvalidRequest, withToken(func(*keeper) any { return nil })},
		{"a member that nobody knows", badRequest, core.CodeInvalidRequest, func(k *keeper) storytest.Answer {
			return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/mfa", storytest.Fields{"mfaToken": k.token(), "code": k.fresh(), "totp": false})
		}},
		{"a form", http.StatusUnsupportedMediaType, core.CodeUnsupportedMediaType, func(k *keeper) storytest.Answer {
			body := strings.NewReader("mfaToken=" + k.token() + "&code=" + k.fresh())
			return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/mfa", body, "Content-Type", "application/x-www-form-urlencoded")
		}},
		{"another's token with one's own code, in one's own session", unauthorized, core.CodeInvalidCredentials, func(k *keeper) storytest.Answer {
			victim := newKeeper(k.Site)
			got := victim.Do(http.MethodPost, "/auth/mfa", storytest.Fields{"mfaToken": k.token(), "code": victim.fresh()})
			victim.wantIn("the victim's code goes on to work", victim.finish(victim.token(), victim.fresh()))
			return got
		}},
	}
}

// spoiledWith finishes a sign-in after wrong codes.
func spoiledWith(n int) func(*keeper) storytest.Answer {
	return withToken(func(k *keeper) any {
		token := k.token()
		for range n {
			wantRefused(k.T.(*testing.T), "a wrong code", k.finish(token, k.wrong()), unauthorized, core.CodeInvalidCredentials)
		}
		return token
	})
}

// admin is the admin of the installation, who signed up first.
func (k *keeper) admin() *storytest.Caller {
	k.T.Helper()
	return &storytest.Caller{Site: k.Site, Token: signInFor(k.Site, adminEmail, "long enough")}
}

const adminEmail = "admin@example.com"

func (k *keeper) resetPassword(password string) {
	k.T.Helper()
	forgot(k.Site, k.User.Email)
	if got := resetTo(k.Site, resetToken(k.Site, mails(k.Site, k.User.Email, 1)[0]), password); got.Status != http.StatusNoContent {
		k.T.Fatalf("reset: got %d %s", got.Status, got.Body)
	}
}

// detours are ways around the second step.
func detours() []refusal {
	with := func(method, path string, body func(token string) any, header ...string) func(*keeper) storytest.Answer {
		return func(k *keeper) storytest.Answer {
			token := k.token()
			for i := range header {
				header[i] = strings.ReplaceAll(header[i], "TOKEN", token)
			}
			return (&storytest.Caller{Site: k.Site}).Do(method, strings.ReplaceAll(path, "TOKEN", token), body(token), header...)
		}
	}
	nothing := func(string) any { return nil }
	asProof := func(token string) any { return storytest.Fields{"token": token} }
	return []refusal{
		{"the token as an access token", unauthorized, core.CodeUnauthenticated, with(http.MethodGet, "/auth/me", nothing, "Authorization", "Bearer TOKEN")},
		{"the token as the session's cookie", unauthorized, core.CodeUnauthenticated, with(http.MethodGet, "/auth/me", nothing, "Cookie", "app_access_token=TOKEN")},
		{"the token to set the factor up with", unauthorized, core.CodeUnauthenticated, with(http.MethodGet, "/auth/mfa", nothing, "Authorization", "Bearer TOKEN")},
		{"the token as a refresh token", unauthorized, core.CodeUnauthenticated, with(http.MethodPost, "/auth/refresh", func(token string) any { return storytest.Fields{"refreshToken": token} })},
		{"the token as a link that sets passwords", badRequest, core.CodeInvalidToken, with(http.MethodPost, "/auth/reset-password", func(token string) any {
			return storytest.Fields{"token": token, "password": "of another kind"}
		})},
		{"the token as a link that proves an address", badRequest, core.CodeInvalidToken, func(k *keeper) storytest.Answer {
			return k.Do(http.MethodPost, "/auth/verify-email", asProof(k.token()))
		}},
		{"the token as an invitation", unauthorized, core.CodeUnauthenticated, with(http.MethodPost, "/invites/TOKEN/accept", nothing)},
		{"the token as the password of git", unauthorized, core.CodeUnauthenticated, with(http.MethodGet, "/git/"+string(core.NewID())+"/info/refs?service=git-upload-pack", nothing, "Authorization", "Bearer TOKEN")},
		{"the second step without the first", badRequest, core.CodeInvalidRequest, func(k *keeper) storytest.Answer {
			return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/mfa", storytest.Fields{"email": k.User.Email, "code": k.fresh()})
		}},
		{"a code with the password", badRequest, core.CodeInvalidRequest, func(k *keeper) storytest.Answer {
			return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/login", storytest.Fields{"email": k.User.Email, "password": "long enough", "code": k.fresh()})
		}},
		{"a new password by mail", unauthorized, core.CodeMFARequired, func(k *keeper) storytest.Answer {
			k.resetPassword("of another kind")
			return k.login("of another kind")
		}},
		{"a new address", unauthorized, core.CodeMFARequired, func(k *keeper) storytest.Answer {
			next := "next-" + k.User.Email
			askForEmail(k.Caller, next, "long enough")
			if got := followProof(k.Caller, proofToken(k.Site, next, 1), false); got.Status != http.StatusOK {
				k.T.Fatalf("proof: got %d %s", got.Status, got.Body)
			}
			k.User.Email = next
			return k.login("long enough")
		}},
		{"signing up anew", http.StatusConflict, core.CodeEmailTaken, func(k *keeper) storytest.Answer {
			return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/signup", storytest.Fields{"email": k.User.Email, "password": "long enough"})
		}},
		{"a wrong password", unauthorized, core.CodeInvalidCredentials, func(k *keeper) storytest.Answer { return k.login("wrong") }},
		{"a page of another site", http.StatusForbidden, core.CodeCrossOrigin, func(k *keeper) storytest.Answer {
			body := storytest.Fields{"mfaToken": k.token(), "code": k.fresh()}
			return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/mfa", body, "Origin", "https://evil.example", "Cookie", "app_access_token=x")
		}},
	}
}

// changeRefusals are changes of the factor in a session.
func changeRefusals() []refusal {
	begin := func(body storytest.Fields) func(*keeper) storytest.Answer {
		return func(k *keeper) storytest.Answer { return k.Do(http.MethodPost, "/auth/mfa/totp", body) }
	}
	off := func(of func(k *keeper) storytest.Fields) func(*keeper) storytest.Answer {
		return func(k *keeper) storytest.Answer { return k.Do(http.MethodDelete, "/auth/mfa/totp", of(k)) }
	}
	renew := func(body storytest.Fields) func(*keeper) storytest.Answer {
		return func(k *keeper) storytest.Answer { return k.Do(http.MethodPost, "/auth/mfa/recovery-codes", body) }
	}
	program := func(method, path string, body storytest.Fields) func(*keeper) storytest.Answer {
		return func(k *keeper) storytest.Answer {
			return (&storytest.Caller{Site: k.Site, Token: apiToken(k.Caller)}).Do(method, path, body)
		}
	}
	password := storytest.Fields{"password": "long enough"}
	return []refusal{
		{"a second setup without a code", badRequest, core.CodeValidationFailed, begin(password)},
		{"a second setup with a wrong password", unauthorized, core.CodeInvalidCredentials, func(k *keeper) storytest.Answer {
			return begin(storytest.Fields{"password": "wrong", "code": k.fresh()})(k)
		}},
		{"a second setup with a wrong code", unauthorized, core.CodeInvalidCredentials, begin(storytest.Fields{"password": "long enough", "code": "nonsense"})},
		{"a second setup with a used code", unauthorized, core.CodeInvalidCredentials, func(k *keeper) storytest.Answer {
			return begin(storytest.Fields{"password": "long enough", "code": k.code(0)})(k)
		}},
		{"a setup without a password", badRequest, core.CodeInvalidRequest, begin(storytest.Fields{})},
		{"a confirmation without a setup", http.StatusConflict, core.CodeConflict, func(k *keeper) storytest.Answer {
			return k.Do(http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": k.fresh()})
		}},
		{"a confirmation with a code of the app before", unauthorized, core.CodeInvalidCredentials, func(k *keeper) storytest.Answer {
			k.begin(k.recovery[0])
			return k.Do(http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": k.fresh()})
		}},
		{"a confirmation with a recovery code", unauthorized, core.CodeInvalidCredentials, func(k *keeper) storytest.Answer {
			k.begin(k.recovery[0])
			return k.Do(http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": k.recovery[1]})
		}},
		{"turning it off without a proof", badRequest, core.CodeValidationFailed, off(func(*keeper) storytest.Fields { return storytest.Fields{} })},
		{"turning it off with two proofs", badRequest, core.CodeValidationFailed, off(func(k *keeper) storytest.Fields {
			return storytest.Fields{"password": "long enough", "code": k.wrong()}
		})},
		{"turning it off with a wrong password", unauthorized, core.CodeInvalidCredentials, off(func(*keeper) storytest.Fields { return storytest.Fields{"password": "wrong"} })},
		{"turning it off with a wrong code", unauthorized, core.CodeInvalidCredentials, off(func(k *keeper) storytest.Fields { return storytest.Fields{"code": k.wrong()} })},
		{"turning it off with a used code", unauthorized, core.CodeInvalidCredentials, off(func(k *keeper) storytest.Fields { return storytest.Fields{"code": k.code(0)} })},
		{"new recovery codes without a proof", badRequest, core.CodeValidationFailed, renew(storytest.Fields{})},
		{"new recovery codes with a wrong password", unauthorized, core.CodeInvalidCredentials, renew(storytest.Fields{"password": "wrong"})},
		{"new recovery codes with a wrong code", unauthorized, core.CodeInvalidCredentials, renew(storytest.Fields{"code": "nonsense"})},
		{"turning it off with an API token", http.StatusForbidden, core.CodeInsufficientScope, program(http.MethodDelete, "/auth/mfa/totp", password)},
		{"new recovery codes with an API token", http.StatusForbidden, core.CodeInsufficientScope, program(http.MethodPost, "/auth/mfa/recovery-codes", password)},
		{"a setup with an API token", http.StatusForbidden, core.CodeInsufficientScope, program(http.MethodPost, "/auth/mfa/totp", password)},
		{"an admin's reset by somebody who is no admin", http.StatusForbidden, core.CodeForbidden, func(k *keeper) storytest.Answer {
			return k.Do(http.MethodPost, "/admin/users/"+string(newKeeper(k.Site).User.ID)+"/reset-mfa", nil)
		}},
	}
}

// TestAttacksOnSecondFactors plays every attack on an account of its own. Whatever was tried,
// the factor is on afterwards, unless the account's owner turned it off.
func TestAttacksOnSecondFactors(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			signUpAs(s, adminEmail)
			for _, attacks := range [][]refusal{codeRefusals(), tokenRefusals(), detours(), changeRefusals()} {
				for _, attack := range attacks {
					k := newKeeper(s)
					got := attack.do(k)
					wantRefused(t, attack.what, got, attack.status, attack.code)
					wantNoSession(t, attack.what, got)
					for _, secret := range append([]string{k.setup.Secret}, k.recovery...) {
						if bytes.Contains(got.Body, []byte(secret)) {
							t.Errorf("%s: got %s, want no secret in it", attack.what, got.Body)
						}
					}
				}
			}
		})
	}
}

// TestTypingACodeWithGaps accepts codes and recovery codes as people type them.
func TestTypingACodeWithGaps(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	for what, of := range map[string]func(k *keeper) string{
		"a space within":        func(k *keeper) string { return k.fresh()[:3] + " " + k.fresh()[3:] },
		"spaces around":         func(k *keeper) string { return "  " + k.fresh() + " " },
		"a dash within":         func(k *keeper) string { return k.fresh()[:3] + "-" + k.fresh()[3:] },
		"capitals":              func(k *keeper) string { return strings.ToUpper(k.recovery[0]) },
		"no dashes":             func(k *keeper) string { return strings.ReplaceAll(k.recovery[0], "-", "") },
		"spaces for the dashes": func(k *keeper) string { return strings.ReplaceAll(k.recovery[0], "-", " ") },
	} {
		k := newKeeper(s)
		k.wantIn(what, k.finish(k.token(), of(k)))
	}
}

// race sends calls at once and counts those that succeeded.
func race(n int, call func(i int) storytest.Answer) (won int, all []storytest.Answer) {
	all = make([]storytest.Answer, n)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() { all[i] = call(i) })
	}
	group.Wait()
	for _, got := range all {
		if got.Status < http.StatusBadRequest {
			won++
		}
	}
	return won, all
}

// TestRacesOfSecondFactors uses one thing several times at once.
func TestRacesOfSecondFactors(t *testing.T) {
	const n = 8
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			tokensOf := func(k *keeper) (tokens [n]string) {
				for i := range tokens {
					tokens[i] = k.token()
				}
				return tokens
			}
			for what, begin := range map[string]func(k *keeper) func(i int) storytest.Answer{
				"one token and one code": func(k *keeper) func(int) storytest.Answer {
					token := k.token()
					return func(int) storytest.Answer { return k.finish(token, k.fresh()) }
				},
				"many tokens and one code": func(k *keeper) func(int) storytest.Answer {
					tokens := tokensOf(k)
					return func(i int) storytest.Answer { return k.finish(tokens[i], k.fresh()) }
				},
				"many tokens and one recovery code": func(k *keeper) func(int) storytest.Answer {
					tokens := tokensOf(k)
					return func(i int) storytest.Answer { return k.finish(tokens[i], k.recovery[0]) }
				},
				"one token and many recovery codes": func(k *keeper) func(int) storytest.Answer {
					token := k.token()
					return func(i int) storytest.Answer { return k.finish(token, k.recovery[i]) }
				},
				"one code for new recovery codes": func(k *keeper) func(int) storytest.Answer {
					return func(int) storytest.Answer {
						return k.Do(http.MethodPost, "/auth/mfa/recovery-codes", storytest.Fields{"code": k.fresh()})
					}
				},
				"one code, for a sign-in and to turn it off": func(k *keeper) func(int) storytest.Answer {
					token := k.token()
					return func(i int) storytest.Answer {
						if i%2 == 0 {
							return k.finish(token, k.fresh())
						}
						return k.Do(http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"code": k.fresh()})
					}
				},
				"one confirmation": func(k *keeper) func(int) storytest.Answer {
					next := &keeper{account: k.account, confirmed: k.confirmed, setup: k.begin(k.recovery[0])}
					return func(int) storytest.Answer {
						return k.Do(http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": next.fresh()})
					}
				},
			} {
				if won, all := race(n, begin(newKeeper(s))); won != 1 {
					t.Errorf("%s: got %d of %d succeed, want one: %s", what, won, n, bodies(all))
				}
			}
			k := newKeeper(s)
			token := k.token()
			_, all := race(3*accounts.MaxWrongCodes, func(int) storytest.Answer { return k.finish(token, k.wrong()) })
			tried := 0
			for _, got := range all {
				if got.Code() == core.CodeInvalidCredentials {
					tried++
				}
			}
			if tried != accounts.MaxWrongCodes {
				t.Errorf("got %d codes tried with one token, want %d: %s", tried, accounts.MaxWrongCodes, bodies(all))
			}
		})
	}
}

func bodies(all []storytest.Answer) string {
	var text strings.Builder
	for _, got := range all {
		fmt.Fprintf(&text, "%d %s; ", got.Status, bytes.TrimSpace(got.Body))
	}
	return text.String()
}

// TestGuessesOfCodesAreLimitedByAccount guesses from many networks with ever new tokens.
func TestGuessesOfCodesAreLimitedByAccount(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := storytest.Serve(t, t.TempDir(), program.Make, storytest.Merged(program.Env(t), map[string]string{
				"AUTH_RATE_LIMIT_PER_MINUTE": "20", "TRUSTED_PROXIES": "127.0.0.1/32",
			}))
			k := newKeeper(s)
			from := func(i int, path string, body storytest.Fields) storytest.Answer {
				return (&storytest.Caller{Site: s}).Do(http.MethodPost, path, body, "X-Forwarded-For", fmt.Sprintf("2001:db8:%x::1", i))
			}
			refused := 0
			for i := range 30 {
				token := mfaTokenOf(t, from(i, "/auth/login", storytest.Fields{"email": k.User.Email, "password": "long enough"}))
				for range 2 {
					got := from(i, "/auth/mfa", storytest.Fields{"mfaToken": token, "code": k.wrong()})
					if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); got.Code() == core.CodeRateLimited && wait > 0 {
						refused++
					} else if got.Code() != core.CodeInvalidCredentials {
						t.Fatalf("got %d %s, want 401 or 429", got.Status, got.Body)
					}
				}
			}
			if want := 60 - accounts.MaxGuesses; refused != want {
				t.Errorf("got %d of 60 guesses refused, want %d", refused, want)
			}
			token := mfaTokenOf(t, from(99, "/auth/login", storytest.Fields{"email": k.User.Email, "password": "long enough"}))
			wantRefused(t, "the right code while limited", from(99, "/auth/mfa", storytest.Fields{"mfaToken": token, "code": k.fresh()}), http.StatusTooManyRequests, core.CodeRateLimited)
			k.Must(http.StatusNoContent, http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"code": k.fresh()}, nil)
			// One network alone is refused earlier, whatever it tries.
			limited := 0
			for range 30 {
				if from(100, "/auth/mfa", storytest.Fields{"mfaToken": "x", "code": "000000"}).Code() == core.CodeRateLimited {
					limited++
				}
			}
			if limited == 0 {
				t.Error("got no call of one network refused, want the limit by address")
			}
		})
	}
}

// TestASetupThatIsNotConfirmedLocksNobodyOut, and one of an unproven address is not begun.
func TestASetupThatIsNotConfirmedLocksNobodyOut(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	k := verifiedKeeper(s)
	k.setup = k.begin("")
	if got := k.login("long enough"); got.Status != http.StatusOK {
		t.Errorf("got %d %s, want a session without a code", got.Status, got.Body)
	}
	if again := k.begin(""); again.Secret == k.setup.Secret {
		t.Error("got the same secret for two setups, want another")
	}
	wantRefused(t, "a wrong code", k.Do(http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": "nonsense"}), unauthorized, core.CodeInvalidCredentials)
	wantRefused(t, "an unproven address", newAccount(s).Do(http.MethodPost, "/auth/mfa/totp", storytest.Fields{"password": "long enough"}), http.StatusConflict, core.CodeConflict)
	wantRefused(t, "nobody", (&storytest.Caller{Site: s}).Do(http.MethodGet, "/auth/mfa", nil), unauthorized, core.CodeUnauthenticated)
}

// TestAWrongPasswordTellsNothingOfASecondFactor compares the answers byte by byte.
func TestAWrongPasswordTellsNothingOfASecondFactor(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	var answers []string
	for _, who := range []*keeper{newKeeper(s), verifiedKeeper(s), {account: account{Caller: &storytest.Caller{Site: s, User: core.User{Email: "nobody@example.com"}}}}} {
		got := who.login("wrong password")
		header := got.Header.Clone()
		header.Del("Date")
		header.Del("X-Request-Id")
		text, err := json.Marshal(header)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, fmt.Sprint(got.Status, string(text), string(got.Body)))
	}
	if answers[0] != answers[1] || answers[1] != answers[2] {
		t.Errorf("got %q, want the same with a factor, without, and without an account", answers)
	}
}

// TestProvidersDoNotSkipTheSecondFactor signs in with OAuth.
func TestProvidersDoNotSkipTheSecondFactor(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			k := newKeeper(e.Site)
			who := person{77, k.User.Email, true, "Keeper"}
			for i, provider := range []string{"github", "google", "github"} {
				b := e.browser()
				got := b.get(b.leave("/auth/"+provider+"?next=/projects%3Ftab%3Dmine", who))
				page, fragment, _ := strings.Cut(got.Header.Get("Location"), "#")
				step, err := url.ParseQuery(fragment)
				token := step.Get("mfaToken")
				if got.Status != http.StatusFound || err != nil || page != b.URL+"/login?next=%2Fprojects%3Ftab%3Dmine" || len(token) != 43 || strings.Join(step["mfaMethods"], " ") != "app recovery" {
					t.Fatalf("%s: got %d to %q, want the page for the code", provider, got.Status, got.Header.Get("Location"))
				}
				if user := b.me(); user.ID != "" {
					t.Errorf("%s: got %s signed in before the second step", provider, user.Email)
				}
				wantRefused(t, "a wrong code", k.finish(token, k.wrong()), unauthorized, core.CodeInvalidCredentials)
				k.wantIn(provider, k.finish(token, k.recovery[i]))
			}
		})
	}
}
