package account

import (
	"log/slog"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/workspaces"
)

// SessionAnswer is the answer to a sign-in.
type SessionAnswer struct {
	User         core.User `json:"user"`
	AccessToken  string    `json:"accessToken"`
	RefreshToken string    `json:"refreshToken"`
}

// SignUp answers POST /auth/signup.
func SignUp(signIns *accounts.SignIns, session guard.Cookies) rest.Handler {
	type request struct {
		Email       string  `json:"email"`
		Password    string  `json:"password"`
		DisplayName *string `json:"displayName,omitempty"`
		Invite      string  `json:"invite,omitempty"`
	}
	type answer struct {
		SessionAnswer
		Workspace workspaces.View `json:"workspace"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		made, home, err := signIns.SignUp(r.Context(), r.Actor, accounts.NewAccount(body))
		if err != nil {
			return err
		}
		session.SetAccess(w, made.AccessToken)
		session.SetRefresh(w, made.RefreshToken)
		return rest.WriteJSON(w, http.StatusCreated, answer{SessionAnswer(made), workspaces.View{Workspace: home.Workspace, Role: home.Role}})
	}
}

// SignIn answers POST /auth/login.
func SignIn(signIns *accounts.SignIns, session guard.Cookies, log *slog.Logger) rest.Handler {
	type request struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		made, err := signIns.SignIn(r.Context(), r.Actor, body.Email, body.Password)
		return answerSignIn(w, r, session, log, made, err)
	}
}

// Refresh takes the token from the body if present, else from the cookie.
func Refresh(sessions *accounts.Sessions, session guard.Cookies, log *slog.Logger) rest.Handler {
	type request struct {
		RefreshToken string `json:"refreshToken,omitempty"`
	}
	type answer struct {
		AccessToken  string `json:"accessToken"`
		RefreshToken string `json:"refreshToken,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if r.HasBody() {
			if err := r.Decode(&body); err != nil {
				return err
			}
		}
		token := body.RefreshToken
		if token == "" {
			var err error
			if token, err = guard.OnlyCookie(r.Request, guard.RefreshCookie); err != nil {
				return err
			}
		}
		made, err := sessions.Refresh(r.Context(), r.Actor, token)
		if err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		session.SetAccess(w, made.AccessToken)
		session.SetRefresh(w, made.RefreshToken)
		if body.RefreshToken == "" {
			// Scripts must not see a token that came in a cookie.
			made.RefreshToken = ""
		}
		return rest.WriteJSON(w, http.StatusOK, answer{made.AccessToken, made.RefreshToken})
	}
}

// SignOut ends the session whose tokens the request carries, and removes them from this
// browser. A form of another site sends no cookies, but the answer would remove them
// nevertheless. So such a request is refused like one with cookies. A browser that signed in with a
// company provider is told where its session there ends.
func SignOut(sessions *accounts.Sessions, companies *companysignin.Service, session guard.Cookies, own string) rest.Handler {
	type answer struct {
		SignOutURL string `json:"signOutUrl"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		if err := guard.CheckSameOrigin(r.Request, own); err != nil {
			return err
		}
		// A request without a token, or with two, ends nothing.
		access, _ := guard.BearerOrCookie(r.Request)
		refresh, _ := guard.OnlyCookie(r.Request, guard.RefreshCookie)
		if err := sessions.SignOut(r.Context(), r.Actor, access, refresh); err != nil {
			return err
		}
		session.Clear(w)
		if there := signOutThere(companies, r); there != "" {
			session.ClearCompany(w)
			return rest.WriteJSON(w, http.StatusOK, answer{there})
		}
		return rest.WriteNothing(w)
	}
}

// SignOutEverywhere answers POST /auth/logout-all.
func SignOutEverywhere(sessions *accounts.Sessions, session guard.Cookies) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		if err := sessions.SignOutEverywhere(r.Context(), r.Actor); err != nil {
			return err
		}
		session.Clear(w)
		return rest.WriteNothing(w)
	}
}

// Me answers GET /auth/me.
func Me(profiles *accounts.Profiles, settings *instance.Settings, platform Platform, features Features) rest.Handler {
	type answer struct {
		User      core.User               `json:"user"`
		Workspace workspaces.View         `json:"workspace"`
		Features  Features                `json:"features"`
		Instance  instance.PublicSettings `json:"instance"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		home, err := profiles.Me(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		seen, err := settings.SeenBy(r.Context(), home.User)
		if err != nil {
			return err
		}
		now := features
		if now.PlatformProvider, err = platform.HasPlatform(r.Context()); err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer{home.User, workspaces.View{Workspace: home.Workspace, Role: home.Role}, now, seen})
	}
}

// UpdateMe answers PATCH /auth/me.
func UpdateMe(profiles *accounts.Profiles, log *slog.Logger) rest.Handler {
	type request struct {
		DisplayName     rest.Optional[string] `json:"displayName,omitempty"`
		CurrentPassword rest.Optional[string] `json:"currentPassword,omitempty"`
		Password        rest.Optional[string] `json:"password,omitempty"`
		Language        *string               `json:"language,omitempty"`
	}
	type answer struct {
		User core.User `json:"user"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		var change accounts.Change
		if body.Language != nil {
			var err error
			if change.Language, err = core.ParseLanguage(*body.Language); err != nil {
				return err
			}
		}
		if body.DisplayName.Present {
			change.DisplayName = &body.DisplayName.Value
		}
		if body.CurrentPassword.Present || body.Password.Present {
			if body.CurrentPassword.Value == nil || body.Password.Value == nil {
				return core.Errorf(core.CodeInvalidRequest, "currentPassword and password must both be strings")
			}
			change.Password = &accounts.PasswordChange{Current: *body.CurrentPassword.Value, New: *body.Password.Value}
		}
		user, err := profiles.Update(r.Context(), r.Actor, change)
		if err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer{user})
	}
}
