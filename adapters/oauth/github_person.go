package oauth

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/atelierhq/atelier/ports/oauth"
)

// user reads the account to which the token belongs. The subject is the account's number,
// because a login can be given up and taken by somebody else. The public e-mail address
// of the account is ignored, because it may be unverified.
func (g *GitHub) user(ctx context.Context, token string) (oauth.Profile, error) {
	var user struct {
		ID        int64  `json:"id"`
		Name      string `json:"name"`
		AvatarURL string `json:"avatar_url"`
	}
	if err := g.get(ctx, "/user", token, &user); err != nil {
		return oauth.Profile{}, err
	}
	if user.ID <= 0 {
		return oauth.Profile{}, g.refused("its user has no id")
	}
	return oauth.Profile{Subject: strconv.FormatInt(user.ID, 10), Name: user.Name, AvatarURL: user.AvatarURL}, nil
}

// address reads the person's primary address and whether GitHub has verified it, "" if
// there is none.
func (g *GitHub) address(ctx context.Context, token string) (email string, verified bool, err error) {
	var addresses []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if err := g.get(ctx, "/user/emails?per_page=100", token, &addresses); err != nil {
		return "", false, err
	}
	for _, address := range addresses {
		if !address.Primary {
			continue
		}
		if email != "" {
			return "", false, g.refused("its user has two primary addresses")
		}
		email, verified = address.Email, address.Verified
	}
	return email, verified && email != "", nil
}

// get calls the API with the token.
func (g *GitHub) get(ctx context.Context, path, token string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.api+path, nil)
	if err != nil {
		return g.down("the address of its API is invalid")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	response, err := g.http.Do(request)
	if err != nil {
		return g.known(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return g.refused("its answer to %s does not have the documented types", path)
	}
	return nil
}
