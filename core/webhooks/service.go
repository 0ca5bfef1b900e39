package webhooks

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// ServiceDeps has the dependencies of a Service.
type ServiceDeps struct {
	Store  storage.Store
	Queue  *Queue
	Audit  *audit.Log
	Sealer identity.Sealer
	Guard  netguard.Guard
	Now    func() time.Time
}

// Service has the use cases around webhooks, for admins of their workspace. Many goroutines may use
// it.
type Service struct{ ServiceDeps }

// NewService returns the use cases.
func NewService(deps ServiceDeps) *Service { return &Service{deps} }

// Webhook is a webhook as admins see it.
type Webhook struct {
	ID          core.ID             `json:"id"`
	URL         string              `json:"url"`
	ProjectID   *core.ID            `json:"projectId"`
	Events      []core.WebhookEvent `json:"events"`
	Description string              `json:"description"`
	Disabled    bool                `json:"disabled"`
	// DisabledReason is nil for a webhook in use.
	DisabledReason *core.WebhookStop `json:"disabledReason"`
	// FailingSince is the first failed attempt since the last delivery, nil without one.
	FailingSince *core.Time `json:"failingSince"`
	// FormerSecretUntil is how long the secret before the last rotation signs as well, nil if none does.
	FormerSecretUntil *core.Time `json:"formerSecretUntil"`
	CreatedAt         core.Time  `json:"createdAt"`
	UpdatedAt         core.Time  `json:"updatedAt"`
	// Secret is there when it was just made, and never again.
	Secret string `json:"secret,omitempty"`
}

func (s *Service) shown(webhook core.Webhook) Webhook {
	view := Webhook{
		ID: webhook.ID, URL: webhook.URL, ProjectID: webhook.ProjectID, Events: webhook.Events, Description: webhook.Description,
		Disabled: webhook.Stopped != "", FailingSince: since(webhook.FailingSince), CreatedAt: webhook.CreatedAt, UpdatedAt: webhook.UpdatedAt,
	}
	if view.Disabled {
		view.DisabledReason = &webhook.Stopped
	}
	if webhook.FormerUntil > core.At(s.Now()) {
		view.FormerSecretUntil = &webhook.FormerUntil
	}
	return view
}

// since is a time that may not be there.
func since(at core.Time) *core.Time {
	if at == 0 {
		return nil
	}
	return &at
}

// Input describes a webhook to create or a change of one. Nil fields are left unchanged.
type Input struct {
	// URL and Events are required by Create.
	URL    *string
	Events *[]core.WebhookEvent
	// ProjectID has no effect if SetProject is not set; nil is all of the workspace.
	ProjectID   *core.ID
	SetProject  bool
	Description *string
	Disabled    *bool
}

// List returns a workspace's webhooks, the oldest first.
func (s *Service) List(ctx context.Context, by core.Actor, workspace core.ID) ([]Webhook, error) {
	tables := s.Store.Tables()
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionWebhookRead, workspace); err != nil {
		return nil, err
	}
	found, err := tables.Webhooks.List(ctx, workspace)
	views := make([]Webhook, len(found))
	for i, webhook := range found {
		views[i] = s.shown(webhook)
	}
	return views, err
}

// Get returns a webhook of the workspace.
func (s *Service) Get(ctx context.Context, by core.Actor, workspace, id core.ID) (Webhook, error) {
	webhook, err := ownIn(ctx, s.Store.Tables(), by, core.ActionWebhookRead, workspace, id)
	if err != nil {
		return Webhook{}, err
	}
	return s.shown(webhook), nil
}

// ownIn returns a webhook of the workspace, if the caller has the right to action.
func ownIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action, workspace, id core.ID) (core.Webhook, error) {
	if _, _, err := access.WorkspaceIn(ctx, tables, by, action, workspace); err != nil {
		return core.Webhook{}, err
	}
	webhook, err := tables.Webhooks.ByID(ctx, id)
	if err == nil && webhook.WorkspaceID != workspace {
		err = core.NotFound("webhook")
	}
	if err != nil {
		return core.Webhook{}, err
	}
	return webhook, nil
}

// Create adds a webhook, and returns it with its secret. It returns core.CodeValidationFailed for a
// field out of bounds, core.CodeForbiddenAddress for a URL that may not be reached, core.CodeNotFound
// for a project that the workspace does not have, and core.CodeConflict beyond core.MaxWebhooks.
func (s *Service) Create(ctx context.Context, by core.Actor, workspace core.ID, input Input) (Webhook, error) {
	if input.URL == nil || input.Events == nil {
		return Webhook{}, core.Errorf(core.CodeValidationFailed, "a webhook must have url and events")
	}
	now, key := core.At(s.Now()), newKey()
	webhook := core.Webhook{ID: core.NewID(), WorkspaceID: workspace, CreatedBy: by.UserID, CreatedAt: now, UpdatedAt: now}
	var err error
	if webhook.Sealed, err = s.Sealer.Seal(key, place(webhook.ID)); err != nil {
		return Webhook{}, err
	}
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionWebhookWrite, workspace); err != nil {
			return err
		}
		if err := s.apply(&webhook, input); err != nil {
			return err
		}
		if err := checkProject(ctx, tables, webhook); err != nil {
			return err
		}
		others, err := tables.Webhooks.List(ctx, workspace)
		if err != nil {
			return err
		}
		if len(others) >= core.MaxWebhooks {
			return core.Errorf(core.CodeConflict, "a workspace can have at most %d webhooks: delete one first", core.MaxWebhooks)
		}
		if err := tables.Webhooks.Create(ctx, webhook); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tables, by, workspace, core.AuditWebhookCreated, targetOf(webhook))
	})
	if err != nil {
		return Webhook{}, err
	}
	view := s.shown(webhook)
	view.Secret = secretOf(key)
	return view, nil
}

// targetOf names a webhook for the audit log: by its host, since the rest of a URL may be a secret.
func targetOf(webhook core.Webhook) string {
	address, err := url.Parse(webhook.URL)
	if err != nil {
		return webhook.Description
	}
	if webhook.Description == "" {
		return address.Host
	}
	return webhook.Description + " at " + address.Host
}

// Update changes a webhook. Enabling one forgets its failures. Errors are Create's.
func (s *Service) Update(ctx context.Context, by core.Actor, workspace, id core.ID, input Input) (Webhook, error) {
	return s.change(ctx, by, workspace, id, core.AuditWebhookUpdated, func(webhook *core.Webhook) error { return s.apply(webhook, input) })
}

// Rotate gives a webhook a new secret, and returns it. The former one signs as well for 24 hours.
func (s *Service) Rotate(ctx context.Context, by core.Actor, workspace, id core.ID) (Webhook, error) {
	key := newKey()
	sealed, err := s.Sealer.Seal(key, place(id))
	if err != nil {
		return Webhook{}, err
	}
	view, err := s.change(ctx, by, workspace, id, core.AuditWebhookRotated, func(webhook *core.Webhook) error {
		webhook.SealedFormer, webhook.FormerUntil = webhook.Sealed, core.At(s.Now()).Add(formerFor)
		webhook.Sealed = sealed
		return nil
	})
	if err != nil {
		return Webhook{}, err
	}
	view.Secret = secretOf(key)
	return view, nil
}

func (s *Service) change(ctx context.Context, by core.Actor, workspace, id core.ID, action core.AuditAction, change func(*core.Webhook) error) (Webhook, error) {
	var updated core.Webhook
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		before, err := ownIn(ctx, tables, by, core.ActionWebhookWrite, workspace, id)
		if err != nil {
			return err
		}
		updated, err = tables.Webhooks.Update(ctx, id, func(webhook *core.Webhook) error {
			webhook.UpdatedAt = core.At(s.Now())
			return change(webhook)
		})
		if err != nil {
			return err
		}
		if updated.ProjectID != nil && (before.ProjectID == nil || *before.ProjectID != *updated.ProjectID) {
			if err := checkProject(ctx, tables, updated); err != nil {
				return err
			}
		}
		return s.Audit.Record(ctx, tables, by, workspace, action, targetOf(updated))
	})
	if err != nil {
		return Webhook{}, err
	}
	return s.shown(updated), nil
}

// Delete removes a webhook with its deliveries.
func (s *Service) Delete(ctx context.Context, by core.Actor, workspace, id core.ID) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		webhook, err := ownIn(ctx, tables, by, core.ActionWebhookWrite, workspace, id)
		if err != nil {
			return err
		}
		if err := tables.Webhooks.Delete(ctx, id); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tables, by, workspace, core.AuditWebhookDeleted, targetOf(webhook))
	})
}

// checkProject returns core.CodeNotFound for a project that the webhook's workspace does not have.
func checkProject(ctx context.Context, tables storage.Tables, webhook core.Webhook) error {
	if webhook.ProjectID == nil {
		return nil
	}
	project, err := tables.Projects.ByID(ctx, *webhook.ProjectID)
	if err == nil && (project.WorkspaceID != webhook.WorkspaceID || project.DeletedAt != nil || project.CopyOf != nil) {
		err = core.NotFound("project")
	}
	return err
}

func (s *Service) apply(webhook *core.Webhook, input Input) error {
	if input.URL != nil {
		if err := s.checkURL(*input.URL); err != nil {
			return err
		}
		if webhook.URL != *input.URL {
			webhook.URL, webhook.FailingSince = *input.URL, 0
		}
	}
	if input.Description != nil {
		description := strings.TrimSpace(*input.Description)
		if utf8.RuneCountInString(description) > core.MaxWebhookDescriptionChars || strings.ContainsAny(description, "\r\n") || !storage.Storable(description) {
			return core.Errorf(core.CodeValidationFailed, "description must be one line of at most %d characters", core.MaxWebhookDescriptionChars)
		}
		webhook.Description = description
	}
	if input.SetProject {
		webhook.ProjectID = input.ProjectID
	}
	if input.Disabled != nil {
		webhook.Disable(*input.Disabled)
	}
	return applyEvents(webhook, input.Events)
}

// applyEvents sets what the webhook is sent, in the order of core.WebhookEvents; nil leaves it.
func applyEvents(webhook *core.Webhook, events *[]core.WebhookEvent) error {
	if events != nil {
		for _, event := range *events {
			if !slices.Contains(core.WebhookEvents(), event) {
				return core.Errorf(core.CodeValidationFailed, "there is no event %q", core.Shorten(core.CleanName(string(event)), 80))
			}
		}
		webhook.Events = slices.DeleteFunc(core.WebhookEvents(), func(one core.WebhookEvent) bool { return !slices.Contains(*events, one) })
	}
	switch {
	case len(webhook.Events) == 0:
		return core.Errorf(core.CodeValidationFailed, "events must name at least one event")
	case webhook.ProjectID != nil && slices.Contains(webhook.Events, core.WebhookMemberChanged):
		return core.Errorf(core.CodeValidationFailed, "%s is an event of the workspace: leave it out, or leave out projectId", core.WebhookMemberChanged)
	}
	return nil
}

// checkURL refuses an address that may not be reached. Without TLS only installations that may reach
// their own machine send, which are those of developers.
func (s *Service) checkURL(address string) error {
	if len(address) > core.MaxWebhookURLBytes || !storage.Storable(address) {
		return core.Errorf(core.CodeValidationFailed, "url must have at most %d bytes", core.MaxWebhookURLBytes)
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Fragment != "" {
		return core.Errorf(core.CodeValidationFailed, "url must be an absolute address without a fragment")
	}
	if err := s.Guard.Check(address); err != nil {
		return err
	}
	if parsed.Scheme != "https" && s.Guard.Check("http://127.0.0.1/") != nil {
		return core.Errorf(core.CodeValidationFailed, "url must begin with https://")
	}
	return nil
}
