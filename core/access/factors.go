package access

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// CheckOwnFactor returns core.CodeConflict to an admin without a second factor who would require
// one of everybody, and so could not take it back.
func CheckOwnFactor(ctx context.Context, tables storage.Tables, by core.Actor) error {
	factor, err := tables.Factors.Of(ctx, by.UserID)
	if core.IsCode(err, core.CodeNotFound) || err == nil && !factor.On() {
		return core.Errorf(core.CodeConflict, "turn on your own two-step verification before you require it of everybody")
	}
	return err
}

// Requiring returns the workspaces of a person that require a second factor.
func Requiring(ctx context.Context, tables storage.Tables, person core.ID) ([]core.Workspace, error) {
	joined, err := tables.Workspaces.OfUser(ctx, person)
	var requiring []core.Workspace
	for _, space := range joined {
		if space.RequireMFA {
			requiring = append(requiring, space.Workspace)
		}
	}
	return requiring, err
}

// CheckNewKey returns core.CodeMFASetupRequired to a person who lacks the second factor that a
// workspace of theirs requires: a new API token or program would be a way around it.
func CheckNewKey(ctx context.Context, tables storage.Tables, by core.Actor) error {
	requiring, err := Requiring(ctx, tables, by.UserID)
	if err != nil || len(requiring) == 0 {
		return err
	}
	factor, err := tables.Factors.Of(ctx, by.UserID)
	if core.IsCode(err, core.CodeNotFound) || err == nil && !factor.On() {
		return core.Errorf(core.CodeMFASetupRequired, "the workspace %q requires two-step verification: turn it on in your account settings first", requiring[0].Name)
	}
	return err
}

// MovePreviews gives the previews of workspaces that require a second factor new addresses, because a
// person who knows the old ones lost theirs.
func MovePreviews(ctx context.Context, tables storage.Tables, person core.ID) error {
	requiring, err := Requiring(ctx, tables, person)
	if err != nil {
		return err
	}
	for _, space := range requiring {
		_, err := tables.Workspaces.Update(ctx, space.ID, func(space *core.Workspace) error {
			space.MembersVersion++
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
