package client

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/client/logins"
	"github.com/atelierhq/atelier/bootstrap/client/remote"
	"github.com/atelierhq/atelier/core"
)

// loginOptions are the flags of login.
type loginOptions struct {
	email     string
	withToken bool
	plain     bool
}

// login signs in, checks the credentials and keeps them.
func login(flags *flag.FlagSet) action {
	var o loginOptions
	flags.StringVar(&o.email, "email", "", "sign in with this `address` and a password, which is asked for or read from stdin, as a second factor is")
	flags.BoolVar(&o.withToken, "with-token", false, "read an API token from stdin")
	flags.BoolVar(&o.plain, "plain-http", false, "allow http:// to another machine: everybody on the way can read your credentials")
	return func(ctx context.Context, in *invocation, args []string) error {
		base, err := in.loginBase(args, o.plain)
		if err != nil {
			return err
		}
		made, err := in.signIn(ctx, base, o)
		if err != nil {
			return err
		}
		made.PlainHTTP = o.plain
		err = in.files.Change(func(held *logins.Logins) error {
			held.Current, held.Installations[base] = base, made
			return nil
		})
		if err != nil {
			return err
		}
		return in.printLogin(base, made)
	}
}

// loginBase is the address of the installation to sign in to.
func (in *invocation) loginBase(args []string, plain bool) (string, error) {
	held, err := in.files.Read()
	if err != nil {
		return "", err
	}
	text := strings.Join(args, "")
	if text == "" {
		text = in.server
	}
	if text == "" {
		text = in.Env("ATELIER_URL")
	}
	if text == "" {
		text = held.Current
	}
	if text == "" {
		return "", wrongUse("name the installation: atelier login https://atelier.example.com")
	}
	base, err := remote.ParseBase(text, plain || held.Installations[text].PlainHTTP)
	if err != nil {
		return "", wrongUse("%v", err)
	}
	return base, nil
}

// signIn asks for credentials and exchanges them.
func (in *invocation) signIn(ctx context.Context, base string, o loginOptions) (logins.Login, error) {
	email := o.email
	if email == "" && !o.withToken && isTerminal(in.In) {
		var err error
		if email, err = in.ask("E-mail (or Enter, to paste an API token instead): "); err != nil {
			return logins.Login{}, err
		}
	}
	if email != "" {
		return in.signInByPassword(ctx, base, strings.TrimSpace(email))
	}
	token, err := in.askSecret(fmt.Sprintf("API token (from %s/settings/tokens): ", base))
	if err != nil {
		return logins.Login{}, err
	}
	token = strings.TrimSpace(token)
	if !strings.HasPrefix(token, core.APITokenPrefix) {
		return logins.Login{}, wrongUse("this is no API token, which begins with %s: make one at %s/settings/tokens, or sign in with --email", core.APITokenPrefix, base)
	}
	made := logins.Login{Credential: remote.Credential{Token: token}}
	made.Person, err = person(ctx, remote.New(base, in.Version, made.Credential, nil))
	return made, err
}

// session is what a sign-in answers.
type session struct {
	remote.Credential
	User struct{ Email string }
}

// signInByPassword opens a session.
func (in *invocation) signInByPassword(ctx context.Context, base, email string) (logins.Login, error) {
	password, err := in.askSecret("Password: ")
	if err != nil {
		return logins.Login{}, err
	}
	var made session
	anonymous := remote.New(base, in.Version, remote.Credential{}, nil)
	err = anonymous.Do(ctx, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, &made)
	var failure *remote.Failure
	if errors.As(err, &failure) && failure.MFAToken != "" {
		var code string
		if code, err = in.askSecret("Code of your second factor, or a recovery code: "); err != nil {
			return logins.Login{}, err
		}
		err = anonymous.Do(ctx, http.MethodPost, "/auth/mfa", map[string]string{"mfaToken": failure.MFAToken, "code": strings.TrimSpace(code)}, &made)
	}
	if err == nil && made.Refresh == "" {
		err = &remote.Failure{Code: remote.CodeNoInstallation, Message: base + " does not answer as an installation of Atelier does"}
	}
	return logins.Login{Credential: made.Credential, Person: made.User.Email}, err
}

// person is the e-mail address of whom a credential belongs to, "" if it may not know.
func person(ctx context.Context, client *remote.Client) (string, error) {
	var me session
	err := client.Get(ctx, "/auth/me", &me)
	if err == nil || !isScope(err) {
		return me.User.Email, err
	}
	// API tokens do not see the account. The person owns their personal workspace.
	var spaces struct{ Items []workspace }
	if err := client.Get(ctx, "/workspaces", &spaces); err != nil {
		if isScope(err) {
			err = nil
		}
		return "", err
	}
	for _, space := range spaces.Items {
		if !space.own() {
			continue
		}
		var members struct {
			Items []struct{ Email, Role string }
		}
		if err := client.Get(ctx, "/workspaces/"+space.ID+"/members", &members); err != nil {
			return "", err
		}
		for _, member := range members.Items {
			if member.Role == "owner" {
				return member.Email, nil
			}
		}
	}
	return "", nil
}

// isScope reports whether a call was outside the scopes of an API token.
func isScope(err error) bool {
	var failure *remote.Failure
	return errors.As(err, &failure) && failure.Code == "insufficient_scope"
}

// identity is what login and whoami print.
type identity struct {
	URL        string `json:"url"`
	Person     string `json:"person"`
	Credential string `json:"credential"`
}

func (in *invocation) printLogin(base string, made logins.Login) error {
	found := identity{base, made.Person, "session"}
	if made.Token != "" {
		found.Credential = "token"
	}
	return in.printIdentity(found)
}

func (in *invocation) printIdentity(found identity) error {
	return in.print(found, func(to io.Writer) {
		who := clean(found.Person)
		if who == "" {
			who = "the owner of an API token"
		}
		fmt.Fprintf(to, "%s at %s (%s)\n", who, found.URL, found.Credential)
	})
}

// logout ends the session at the installation, if there is one, and forgets the credentials.
func logout(*flag.FlagSet) action {
	return func(ctx context.Context, in *invocation, args []string) error {
		if len(args) == 1 {
			in.server = args[0]
		}
		held, err := in.files.Read()
		if err != nil {
			return err
		}
		base, err := in.base(held)
		if err != nil {
			return err
		}
		made, known := held.Installations[base]
		if !known {
			return &fault{Code: "unauthenticated", Message: "you are not signed in to " + base, Exit: exitSignIn}
		}
		ended := in.endSession(ctx, base, made)
		err = in.files.Change(func(held *logins.Logins) error {
			delete(held.Installations, base)
			if held.Current == base {
				held.Current = ""
			}
			return nil
		})
		if err != nil || ended != nil {
			return errors.Join(err, ended)
		}
		return in.print(map[string]any{"url": base, "ended": made.Token == ""}, func(to io.Writer) {
			fmt.Fprintf(to, "Signed out of %s.\n", base)
			if made.Token != "" {
				fmt.Fprintf(to, "The API token stays valid until you delete it at %s/settings/tokens.\n", base)
			}
		})
	}
}

// endSession ends the session of a login. One that has ended already is fine.
func (in *invocation) endSession(ctx context.Context, base string, made logins.Login) error {
	if made.Token != "" {
		return nil
	}
	client := remote.New(base, in.Version, made.Credential, in.renewal(base))
	_, err := client.Call(ctx, http.MethodPost, "/auth/logout", nil)
	var failure *remote.Failure
	if errors.As(err, &failure) && failure.Status == http.StatusUnauthorized {
		return nil
	}
	if err != nil {
		return &fault{
			Code: "unreachable", Message: "the credentials are removed here, but the session could not be ended at " + base + ": " + err.Error(),
			Next: "end it in the studio, at " + base + "/settings/security", Exit: exitUnavailable,
		}
	}
	return nil
}

// whoami asks the installation, so that an ended session is told.
func whoami(*flag.FlagSet) action {
	return func(ctx context.Context, in *invocation, _ []string) error {
		client, err := in.client()
		if err != nil {
			return err
		}
		held, err := in.files.Read()
		if err != nil {
			return err
		}
		found := identity{URL: client.Base(), Credential: "session"}
		if in.Env("ATELIER_TOKEN") != "" {
			found.Credential = "ATELIER_TOKEN"
		} else if held.Installations[client.Base()].Token != "" {
			found.Credential = "token"
		}
		if found.Person, err = person(ctx, client); err != nil {
			return err
		}
		return in.printIdentity(found)
	}
}
