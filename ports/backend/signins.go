package backend

import "context"

// SignIns knows the providers of OAuth with which the end users of a place may sign in. The
// service implements it. An engine asks it at every request that needs them, and keeps nothing: no
// database, copy, snapshot or export has a secret, and a change is in force at once.
type SignIns interface {
	SignIns(ctx context.Context, place Place) ([]SignInProvider, error)
}

// SignInProvider is a provider of OAuth as an application is registered there.
type SignInProvider struct {
	// Name is that of one of SignInKinds.
	Name, ClientID, ClientSecret string
	// DisplayName and the addresses are empty for the kind's own.
	DisplayName                    string
	AuthURL, TokenURL, UserInfoURL string
	// PKCE overrides what the kind does by itself.
	PKCE *bool
}

// SignInKind is a kind of provider that engines know.
type SignInKind struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	// Addressed says that it has no addresses of its own, so that all three are needed.
	Addressed bool `json:"addressed"`
}

// SignInKinds returns the kinds in the order in which people look for them: the known ones, then by
// name, then any provider that speaks OpenID Connect.
func SignInKinds() []SignInKind {
	return []SignInKind{
		{"google", "Google", false},
		{"github", "GitHub", false},
		{"microsoft", "Microsoft", false},
		{"apple", "Apple", false},
		{"bitbucket", "Bitbucket", false},
		{"box", "Box", false},
		{"discord", "Discord", false},
		{"facebook", "Facebook", false},
		{"gitea", "Gitea/Forgejo", false},
		{"gitee", "Gitee", false},
		{"gitlab", "GitLab", false},
		{"instagram2", "Instagram", false},
		{"kakao", "Kakao", false},
		{"lark", "Lark", false},
		{"linear", "Linear", false},
		{"livechat", "LiveChat", false},
		{"mailcow", "mailcow", true},
		{"monday", "monday.com", false},
		{"notion", "Notion", false},
		{"patreon", "Patreon", false},
		{"planningcenter", "Planning Center", false},
		{"spotify", "Spotify", false},
		{"strava", "Strava", false},
		{"trakt", "Trakt", false},
		{"twitch", "Twitch", false},
		{"vk", "VK", false},
		{"wakatime", "WakaTime", false},
		{"twitter", "X/Twitter", false},
		{"yandex", "Yandex", false},
		{"oidc", "OpenID Connect", true},
		{"oidc2", "OpenID Connect (second)", true},
		{"oidc3", "OpenID Connect (third)", true},
	}
}
