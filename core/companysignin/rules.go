package companysignin

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/storage"
)

// Rules decides who must sign in with their company. Many goroutines may use it.
type Rules struct{ gate *access.Gate }

var _ accounts.Companies = (*Rules)(nil)

// NewRules returns the rules.
func NewRules(gate *access.Gate) *Rules { return &Rules{gate} }

// Check implements accounts.Companies. Admins of the installation keep every way in.
func (r *Rules) Check(ctx context.Context, tables storage.Tables, user core.User, proof string) error {
	if r.gate.InstanceRole(user) == core.InstanceAdmin {
		return nil
	}
	return r.CheckAddress(ctx, tables, user.Email, proof)
}

// CheckAddress implements accounts.Companies.
func (r *Rules) CheckAddress(ctx context.Context, tables storage.Tables, email, proof string) error {
	providers, err := tables.CompanyProviders.List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, provider := range providers {
		if !provider.Only || !provider.Serves(email) {
			continue
		}
		if string(provider.Identity()) == proof {
			return nil
		}
		names = append(names, provider.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return core.Errorf(core.CodeCompanySignIn, "people at %s sign in with %s", core.EmailDomain(email), strings.Join(names, ", "))
}
