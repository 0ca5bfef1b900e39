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

// Seen is what everybody who is signed in sees of the installation.
type Seen struct {
	// Admin says that they are one of its admins.
	Admin bool `json:"admin"`
	// Announcement is a notice to everybody, "" if there is none.
	Announcement string `json:"announcement"`
}

// SeenBy returns what a person sees of the installation.
func (s *Settings) SeenBy(ctx context.Context, person core.User) (Seen, error) {
	decided, err := s.store.Tables().InstanceSettings.Get(ctx)
	return Seen{s.gate.InstanceRole(person) == core.InstanceAdmin, decided.Announcement}, err
}

func (e Environment) view(decided core.InstanceSettings) View {
	policy, domains := e.signup(decided)
	return View{policy, append([]string{}, domains...), e.creditLimit(decided), decided.Announcement, e.fixed()}
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
	return fixed
}

// Update changes the settings, all or nothing, for every process at once. It returns
// core.CodeConflict for a setting that the environment fixes, and core.CodeValidationFailed.
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
	} {
		if changes {
			fields = append(fields, field)
		}
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
		if limit != nil && !(*limit >= 0 && *limit <= maxCreditLimit) {
			return core.Errorf(core.CodeValidationFailed, "defaultCreditLimit must be null or an amount of USD from 0 to %.0f", maxCreditLimit)
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
	return nil
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
			limit := "none"
			if v.CreditLimit != nil {
				limit = fmt.Sprintf("%.2f USD", *v.CreditLimit)
			}
			words = append(words, "defaultCreditLimit: "+limit)
		case fieldAnnouncement:
			words = append(words, "announcement: "+v.Announcement)
		}
	}
	return strings.Join(words, ", ")
}
