package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func signInProviderClauses() []clause {
	return []clause{
		{"a sign-in provider comes back as it was stored", signInComesBack},
		{"a sign-in provider takes the place of the environment's other one of its name", signInReplaces},
		{"sign-in providers are listed by name, each environment's own", signInsListed},
		{"deleting a sign-in provider leaves the others", signInDelete},
		{"sign-in providers go with their project", signInsOfProject},
		{"sign-in providers go in and come out as copies", signInCopies},
		{"a sign-in provider needs a project and text", signInRefused},
		{"no call on sign-in providers outlives its context", signInsEnded},
	}
}

func (s testCase) newSignIn(project core.ID, env core.DataEnv, name string) core.SignInProvider {
	at := s.Now()
	return core.SignInProvider{
		Name: name, ClientID: "id of " + name, DisplayName: "Log in", AuthURL: "https://id.example/auth", TokenURL: "https://id.example/token",
		UserInfoURL: "https://id.example/me", CreatedAt: at, UpdatedAt: at, ProjectID: project, Env: env, SealedSecret: []byte("\x00\xff sealed " + name),
	}
}

func (s testCase) signIn(project core.ID, env core.DataEnv, name string) core.SignInProvider {
	s.Helper()
	provider := s.newSignIn(project, env, name)
	stored, err := s.SignInProviders.Put(s.Context(), provider)
	s.Want(stored, err, provider)
	return provider
}

func signInComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	for _, pkce := range []*bool{nil, new(true), new(false)} {
		provider := s.newSignIn(project.ID, core.DataTest, "oidc")
		provider.PKCE = pkce
		stored, err := s.SignInProviders.Put(s.Context(), provider)
		provider.CreatedAt = stored.CreatedAt
		s.Want(stored, err, provider)
		all, err := s.SignInProviders.List(s.Context(), project.ID, core.DataTest)
		s.Want(all, err, []core.SignInProvider{provider})
	}
}

func signInReplaces(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, foreign := s.signIn(project.ID, core.DataTest, "google"), s.signIn(other.ID, core.DataTest, "google")
	live := s.signIn(project.ID, core.DataLive, "google")
	second := core.SignInProvider{
		Name: "google", ClientID: "other", UpdatedAt: s.Now(), CreatedAt: s.Now(), ProjectID: project.ID, Env: core.DataTest, SealedSecret: []byte("other"),
	}
	stored, err := s.SignInProviders.Put(s.Context(), second)
	second.CreatedAt = first.CreatedAt
	s.Want(stored, err, second)
	for _, want := range []core.SignInProvider{second, live, foreign} {
		all, err := s.SignInProviders.List(s.Context(), want.ProjectID, want.Env)
		s.Want(all, err, []core.SignInProvider{want})
	}
}

func signInsListed(s testCase) {
	project := s.Project(s.Workspace().ID)
	want := []string{"github", "google", "oidc", "oidc2"}
	for _, i := range []int{2, 0, 3, 1} {
		s.signIn(project.ID, core.DataLive, want[i])
	}
	s.signIn(project.ID, core.DataTest, "gitlab")
	all, err := s.SignInProviders.List(s.Context(), project.ID, core.DataLive)
	got := make([]string, len(all))
	for i, provider := range all {
		got[i] = provider.Name
	}
	s.Want(got, err, want)
	none, err := s.SignInProviders.List(s.Context(), core.NewID(), core.DataLive)
	s.Want(len(none), err, 0)
}

func signInDelete(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.signIn(project.ID, core.DataTest, "google")
	kept := s.signIn(project.ID, core.DataTest, "github")
	live := s.signIn(project.ID, core.DataLive, "google")
	s.Must(s.SignInProviders.Delete(s.Context(), project.ID, core.DataTest, "google"))
	for _, name := range append(fixture.Unstorable(), "google", "Github", "") {
		s.WantCode(s.SignInProviders.Delete(s.Context(), project.ID, core.DataTest, name), core.CodeNotFound)
	}
	for env, want := range map[core.DataEnv]core.SignInProvider{core.DataTest: kept, core.DataLive: live} {
		all, err := s.SignInProviders.List(s.Context(), project.ID, env)
		s.Want(all, err, []core.SignInProvider{want})
	}
}

func signInsOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.signIn(project.ID, core.DataTest, "google")
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	all, err := s.SignInProviders.List(s.Context(), project.ID, core.DataTest)
	s.Want(len(all), err, 0)
}

func signInCopies(s testCase) {
	project := s.Project(s.Workspace().ID)
	provider := s.newSignIn(project.ID, core.DataTest, "google")
	provider.SealedSecret, provider.PKCE = []byte("before"), new(true)
	stored, err := s.SignInProviders.Put(s.Context(), provider)
	s.Must(err)
	for _, one := range []core.SignInProvider{provider, stored} {
		copy(one.SealedSecret, "after!")
		*one.PKCE = false
	}
	all, err := s.SignInProviders.List(s.Context(), project.ID, core.DataTest)
	s.Want(string(all[0].SealedSecret), err, "before")
	s.Want(*all[0].PKCE, err, true)
}

func signInRefused(s testCase) {
	project := s.Project(s.Workspace().ID)
	_, err := s.SignInProviders.Put(s.Context(), s.newSignIn(core.NewID(), core.DataTest, "google"))
	s.WantCode(err, core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		_, err := s.SignInProviders.Put(s.Context(), s.newSignIn(project.ID, core.DataTest, text))
		s.WantCode(err, core.CodeValidationFailed)
	}
}

func signInsEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	provider := s.signIn(project.ID, core.DataTest, "google")
	_, err := s.SignInProviders.Put(s.Ended(), provider)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.SignInProviders.List(s.Ended(), project.ID, core.DataTest)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.SignInProviders.Delete(s.Ended(), project.ID, core.DataTest, "google"), core.CodeUnavailable)
}
