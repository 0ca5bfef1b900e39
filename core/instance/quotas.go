package instance

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// Spaces has the use cases around the workspaces of the installation: what they use, and what the
// admins give to them. None names a project. Many goroutines may use it.
type Spaces struct{ SpaceDeps }

// SpaceDeps are the dependencies of Spaces.
type SpaceDeps struct {
	Store storage.Store
	Gate  *access.Gate
	Audit *audit.Log
	Env   Environment
	Now   func() time.Time
}

// NewSpaces returns the use cases.
func NewSpaces(deps SpaceDeps) *Spaces { return &Spaces{deps} }

// Space is a workspace as admins see it.
type Space struct {
	ID       core.ID `json:"id"`
	Name     string  `json:"name"`
	Personal bool    `json:"personal"`
	// Owner is the address of the owner who has been one for longest, "" if there is none.
	Owner    string `json:"owner"`
	Projects int    `json:"projects"`
	Members  int    `json:"members"`
	// Bytes is the size of the present files of all projects.
	Bytes      int64   `json:"bytes"`
	CreditUsed float64 `json:"creditUsed"`
	// CreditLimit is in force, in USD; GivenCredit is what an admin gave, nil for the default.
	CreditLimit *float64 `json:"creditLimit"`
	GivenCredit *float64 `json:"givenCredit"`
	// Quotas are in force, nil for no bound; GivenQuotas are those that an admin gave, nil for the
	// default.
	Quotas      map[core.QuotaName]*int64 `json:"quotas"`
	GivenQuotas map[core.QuotaName]*int64 `json:"givenQuotas"`
	CreatedAt   core.Time                 `json:"createdAt"`
}

func (s *Spaces) space(use core.WorkspaceUse, decided core.InstanceSettings) Space {
	return Space{
		ID: use.ID, Name: use.Name, Personal: use.Personal, Owner: use.Owner, CreatedAt: use.CreatedAt,
		Projects: use.Projects, Members: use.Members, Bytes: use.Bytes,
		CreditUsed: use.CreditUsed, CreditLimit: use.CreditLimit, GivenCredit: use.CreditCap,
		Quotas: quotaView(s.Env.Quotas.InForce(decided, use.Quotas)), GivenQuotas: quotaView(use.Quotas),
	}
}

// List returns a page of the workspaces whose name, slug or owner's address contains a text, newest
// first.
func (s *Spaces) List(ctx context.Context, by core.Actor, query string, page core.Page) ([]Space, error) {
	if _, err := s.Gate.Instance(ctx, by, core.ActionInstanceWorkspaces); err != nil {
		return nil, err
	}
	tables := s.Store.Tables()
	decided, err := tables.InstanceSettings.Get(ctx)
	if err != nil {
		return nil, err
	}
	found, err := tables.Roster.Workspaces(ctx, storage.WorkspaceFilter{Query: query}, page)
	spaces := make([]Space, len(found))
	for i, use := range found {
		spaces[i] = s.space(use, decided)
	}
	return spaces, err
}

// SpaceChange is an admin's grant to a workspace.
type SpaceChange struct {
	// Credit, in USD, points to nil for the default; nil stays.
	Credit **float64
	// Quotas has those that change; nil takes a quota back to its default.
	Quotas map[core.QuotaName]*int64
}

// Update gives credit and quotas to a workspace; what it has above a new quota stays. Its own limit
// becomes what it is given, or the default: its admins may lower that, and cannot exceed it. It
// returns core.CodeNotFound, and core.CodeValidationFailed for a field out of bounds, also those of
// the environment.
func (s *Spaces) Update(ctx context.Context, by core.Actor, id core.ID, change SpaceChange) (Space, error) {
	var space Space
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceQuotas); err != nil {
			return err
		}
		decided, err := tables.InstanceSettings.Get(ctx)
		if err != nil {
			return err
		}
		stored, err := tables.Workspaces.Update(ctx, id, func(space *core.Workspace) error {
			return s.apply(space, decided, change)
		})
		if err != nil {
			return err
		}
		uses, err := tables.Roster.Workspaces(ctx, storage.WorkspaceFilter{ID: id}, core.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(uses) == 0 {
			return core.NotFound("workspace")
		}
		space = s.space(uses[0], decided)
		words := change.words()
		if words == "" {
			return nil
		}
		// Those of the workspace see it too, but not which admin it was.
		if err := s.Audit.Record(ctx, tables, core.Actor{IP: by.IP}, id, core.AuditInstanceQuotas, words); err != nil {
			return err
		}
		return s.Audit.RecordInstance(ctx, tables, by, core.AuditInstanceQuotas, stored.Name+": "+words)
	})
	return space, err
}

func (s *Spaces) apply(space *core.Workspace, decided core.InstanceSettings, change SpaceChange) error {
	if change.Credit != nil {
		given := *change.Credit
		if err := checkCredit("creditLimit", given); err != nil {
			return err
		}
		space.CreditCap, space.CreditLimit = given, given
		if given == nil {
			space.CreditLimit = s.Env.creditLimit(decided)
		}
	}
	if err := setQuotas(&space.Quotas, change.Quotas, s.Env.Quotas); err != nil {
		return err
	}
	if change.words() != "" {
		space.UpdatedAt = core.At(s.Now())
	}
	return nil
}

// words says what was changed, for the log.
func (c SpaceChange) words() string {
	var words []string
	if c.Credit != nil && *c.Credit == nil {
		words = append(words, "creditLimit: default")
	} else if c.Credit != nil {
		words = append(words, "creditLimit: "+usd(*c.Credit))
	}
	for _, name := range core.QuotaNames() {
		if quota, changes := c.Quotas[name]; changes {
			words = append(words, fmt.Sprintf("%s: %s", name, numberOr(quota, "default")))
		}
	}
	return strings.Join(words, ", ")
}

// setQuotas changes quotas. It returns core.CodeValidationFailed for one that is out of bounds or
// does not exist.
func setQuotas(quotas *core.WorkspaceQuotas, change map[core.QuotaName]*int64, bounds core.Quotas) error {
	for name, wanted := range change {
		quota := quotas.Of(name)
		if quota == nil {
			return core.Errorf(core.CodeValidationFailed, "quotas may have %s", joined(core.QuotaNames()))
		}
		if wanted == nil {
			*quota = 0
			continue
		}
		most, variable := bounds.Ceiling(name)
		if *wanted > most && variable != "" {
			return core.Errorf(core.CodeValidationFailed, "quotas.%s must be at most %d, which is %s in the environment of the service", name, most, variable)
		}
		if *wanted < name.Least() || *wanted > most {
			return core.Errorf(core.CodeValidationFailed, "quotas.%s must be null or a number from %d to %d", name, name.Least(), most)
		}
		*quota = *wanted
	}
	return nil
}

func joined(names []core.QuotaName) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// quotaField is the name of a quota in View.Fixed.
func quotaField(name core.QuotaName) string { return fieldQuotas + "." + string(name) }

// quotaView shows quotas; nil stands for 0.
func quotaView(quotas core.WorkspaceQuotas) map[core.QuotaName]*int64 {
	view := map[core.QuotaName]*int64{}
	for _, name := range core.QuotaNames() {
		view[name] = nil
		if quota := *quotas.Of(name); quota > 0 {
			view[name] = &quota
		}
	}
	return view
}

func checkCredit(field string, limit *float64) error {
	if limit != nil && !(*limit >= 0 && *limit <= maxCreditLimit) {
		return core.Errorf(core.CodeValidationFailed, "%s must be null or an amount of USD from 0 to %.0f", field, maxCreditLimit)
	}
	return nil
}

// usd says an amount, for the log.
func usd(amount *float64) string {
	if amount == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f USD", *amount)
}

func numberOr(number *int64, none string) string {
	if number == nil {
		return none
	}
	return strconv.FormatInt(*number, 10)
}
