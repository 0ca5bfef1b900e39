package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// The settings by their names, as View.Fixed has them.
const (
	fieldSignup        = "signup"
	fieldSignupDomains = "signupDomains"
	fieldCreditLimit   = "defaultCreditLimit"
	fieldAnnouncement  = "announcement"
	fieldRequireMFA    = "requireMfa"
	fieldRequireEmail  = "requireVerifiedEmail"
	fieldPasswords     = "passwordSignIn"
	fieldQuotas        = "quotas"
)

// maxCreditLimit is the highest limit, in USD.
const maxCreditLimit = 1e9

// View is the settings in force.
type View struct {
	Signup        core.SignupPolicy `json:"signup"`
	SignupDomains []string          `json:"signupDomains"`
	// CreditLimit is that of new workspaces, in USD; nil is unlimited.
	CreditLimit  *float64 `json:"defaultCreditLimit"`
	Announcement string   `json:"announcement"`
	// RequireMFA says that people may only use their account until they have a second factor.
	RequireMFA bool `json:"requireMfa"`
	// RequireVerifiedEmail says that people may only use their account until they verify its address.
	RequireVerifiedEmail bool `json:"requireVerifiedEmail"`
	// PasswordSignIn says that people may sign in with passwords.
	PasswordSignIn bool `json:"passwordSignIn"`
	// Quotas are those of workspaces that have none of their own; nil is no bound.
	Quotas map[core.QuotaName]*int64 `json:"quotas"`
	// Fixed names the settings that the environment fixes, with their variables.
	Fixed map[string]string `json:"fixed"`
}

// Change is a change of the settings. A nil field stays.
type Change struct {
	Signup        *core.SignupPolicy
	SignupDomains *[]string
	// CreditLimit points to nil for no limit.
	CreditLimit  **float64
	Announcement *string
	RequireMFA   *bool

	RequireVerifiedEmail, PasswordSignIn *bool
	// Quotas has those that change; nil takes a quota back to its default.
	Quotas map[core.QuotaName]*int64
}

// Settings has the use cases around the settings of the installation. Many goroutines may use it.
type Settings struct {
	store storage.Store
	gate  *access.Gate
	audit *audit.Log
	env   Environment
}

// NewSettings returns the use cases.
func NewSettings(store storage.Store, gate *access.Gate, log *audit.Log, env Environment) *Settings {
	return &Settings{store, gate, log, env}
}

// Get returns the settings to an admin.
func (s *Settings) Get(ctx context.Context, by core.Actor) (View, error) {
	if _, err := s.gate.Instance(ctx, by, core.ActionInstanceSettings); err != nil {
		return View{}, err
	}
	decided, err := s.store.Tables().InstanceSettings.Get(ctx)
	return s.env.view(decided), err
}

// PublicSettings shows everybody who is signed in the installation.
type PublicSettings struct {
	// Admin says that they are one of its admins.
	Admin bool `json:"admin"`
	// Announcement is a notice to everybody, "" if there is none.
	Announcement string `json:"announcement"`
}

// SeenBy returns what a person sees of the installation.
func (s *Settings) SeenBy(ctx context.Context, person core.User) (PublicSettings, error) {
	decided, err := s.store.Tables().InstanceSettings.Get(ctx)
	return PublicSettings{s.gate.InstanceRole(person) == core.InstanceAdmin, decided.Announcement}, err
}

func (e Environment) view(decided core.InstanceSettings) View {
	policy, domains := e.signup(decided)
	return View{
		Signup: policy, SignupDomains: append([]string{}, domains...), CreditLimit: e.creditLimit(decided), Announcement: decided.Announcement,
		RequireMFA: decided.RequireMFA, RequireVerifiedEmail: decided.RequireVerifiedEmail, PasswordSignIn: e.passwords(decided),
		Quotas: quotaView(e.Quotas.InForce(decided, core.WorkspaceQuotas{})), Fixed: e.fixed(),
	}
}

// fixed names the settings of the environment.
func (e Environment) fixed() map[string]string {
	fixed := map[string]string{}
	if e.Signup != "" {
		fixed[fieldSignup] = "SIGNUP"
	}
	if len(e.SignupDomains) > 0 {
		fixed[fieldSignupDomains] = "SIGNUP_DOMAINS"
	}
	if e.CreditLimit != nil {
		fixed[fieldCreditLimit] = "WORKSPACE_CREDIT_LIMIT"
	}
	if e.PasswordSignIn != nil {
		fixed[fieldPasswords] = "PASSWORD_SIGN_IN"
	}
	for quota, variable := range e.Quotas.Fixed {
		fixed[quotaField(quota)] = variable
	}
	return fixed
}

// Update changes the settings, all or nothing, for every process at once. It returns
// core.CodeConflict for a setting that the environment fixes and for policies that would lock people
// out (checkSignIn), and core.CodeValidationFailed.
func (s *Settings) Update(ctx context.Context, by core.Actor, change Change) (View, error) {
	var view View
	err := s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.gate.InstanceIn(ctx, tables, by, core.ActionInstanceSettings); err != nil {
			return err
		}
		fields := change.fields()
		for _, field := range fields {
			if variable, fixed := s.env.fixed()[field]; fixed {
				return core.Errorf(core.CodeConflict, "%s is fixed by %s in the environment of the service", field, variable)
			}
		}
		if err := s.checkSignIn(ctx, tables, by, change); err != nil {
			return err
		}
		decided, err := tables.InstanceSettings.Update(ctx, func(decided *core.InstanceSettings) error {
			return s.apply(decided, change)
		})
		if err != nil {
			return err
		}
		view = s.env.view(decided)
		if len(fields) == 0 {
			return nil
		}
		return s.audit.RecordInstance(ctx, tables, by, core.AuditInstanceSettings, view.words(fields))
	})
	return view, err
}

// fields names what changes.
func (c Change) fields() []string {
	var fields []string
	for field, changes := range map[string]bool{
		fieldSignup: c.Signup != nil, fieldSignupDomains: c.SignupDomains != nil,
		fieldCreditLimit: c.CreditLimit != nil, fieldAnnouncement: c.Announcement != nil,
		fieldRequireMFA: c.RequireMFA != nil, fieldRequireEmail: c.RequireVerifiedEmail != nil, fieldPasswords: c.PasswordSignIn != nil,
	} {
		if changes {
			fields = append(fields, field)
		}
	}
	for quota := range c.Quotas {
		fields = append(fields, quotaField(quota))
	}
	slices.Sort(fields)
	return fields
}

func (s *Settings) apply(decided *core.InstanceSettings, change Change) error {
	if change.Signup != nil {
		if !slices.Contains(core.SignupPolicies(), *change.Signup) {
			return core.Errorf(core.CodeValidationFailed, "signup must be open, domains, invite or closed")
		}
		decided.Signup = *change.Signup
	}
	if change.SignupDomains != nil {
		domains, err := core.ParseSignupDomains(*change.SignupDomains)
		if err != nil {
			return err
		}
		decided.SignupDomains = domains
	}
	if policy, domains := s.env.signup(*decided); policy == core.SignupDomains && len(domains) == 0 {
		return core.Errorf(core.CodeValidationFailed, "signupDomains must name a domain while signup is domains")
	}
	if change.CreditLimit != nil {
		limit := *change.CreditLimit
		if err := checkCredit(fieldCreditLimit, limit); err != nil {
			return err
		}
		decided.CreditLimit = limit
	}
	if change.Announcement != nil {
		text := strings.TrimSpace(*change.Announcement)
		if len([]rune(text)) > core.MaxAnnouncementChars {
			return core.Errorf(core.CodeValidationFailed, "announcement may have at most %d characters", core.MaxAnnouncementChars)
		}
		decided.Announcement = text
	}
	if change.RequireMFA != nil {
		decided.RequireMFA = *change.RequireMFA
	}
	if change.RequireVerifiedEmail != nil {
		decided.RequireVerifiedEmail = *change.RequireVerifiedEmail
	}
	if change.PasswordSignIn != nil {
		decided.NoPasswords = !*change.PasswordSignIn
	}
	return setQuotas(&decided.Quotas, change.Quotas, s.env.Quotas)
}

// words says what was changed, for the log.
func (v View) words(fields []string) string {
	var words []string
	for _, field := range fields {
		switch field {
		case fieldSignup:
			words = append(words, "signup: "+string(v.Signup))
		case fieldSignupDomains:
			words = append(words, "signupDomains: "+strings.Join(v.SignupDomains, " "))
		case fieldCreditLimit:
			words = append(words, "defaultCreditLimit: "+usd(v.CreditLimit))
		case fieldAnnouncement:
			words = append(words, "announcement: "+v.Announcement)
		case fieldRequireMFA:
			words = append(words, fmt.Sprintf("requireMfa: %t", v.RequireMFA))
		case fieldRequireEmail:
			words = append(words, fmt.Sprintf("requireVerifiedEmail: %t", v.RequireVerifiedEmail))
		case fieldPasswords:
			words = append(words, fmt.Sprintf("passwordSignIn: %t", v.PasswordSignIn))
		default:
			quota := core.QuotaName(strings.TrimPrefix(field, fieldQuotas+"."))
			words = append(words, fmt.Sprintf("%s: %s", quota, numberOr(v.Quotas[quota], "none")))
		}
	}
	return strings.Join(words, ", ")
}
