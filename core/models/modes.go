package models

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxModes bounds the modes of a workspace.
const MaxModes = 100

// Modes has the use cases around workspaces' modes of the agent. Many goroutines
// may use it.
type Modes struct {
	store storage.Store
	now   func() time.Time
}

// NewModes returns the use cases.
func NewModes(store storage.Store, now func() time.Time) *Modes { return &Modes{store, now} }

// ModeInput describes a mode to create or a change of one. Nil fields are left
// unchanged. Create needs Name, Prompt and Tools.
type ModeInput struct {
	Name   *string
	Prompt *string
	Tools  *[]string
	// Model points to nil, or to "", for the workspace's default.
	Model **string
	// Thinking points to nil, or to "", to leave it to the model.
	Thinking **string
}

// List returns a workspace's modes by name, byte by byte.
func (m *Modes) List(ctx context.Context, by core.Actor, workspace core.ID) ([]core.Mode, error) {
	tables := m.store.Tables()
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionModeRead, workspace); err != nil {
		return nil, err
	}
	return tables.Modes.List(ctx, workspace)
}

// Create makes a mode. It returns core.CodeValidationFailed for a field out of
// bounds, and for an unknown or repeated tool. It returns core.CodeConflict for a
// name that is taken, also by a built-in mode, and beyond MaxModes.
func (m *Modes) Create(ctx context.Context, by core.Actor, workspace core.ID, input ModeInput) (core.Mode, error) {
	if input.Name == nil || input.Prompt == nil || input.Tools == nil {
		return core.Mode{}, core.Errorf(core.CodeValidationFailed, "a mode must have name, prompt and tools")
	}
	now := core.At(m.now())
	mode := core.Mode{ID: core.NewID(), WorkspaceID: workspace, CreatedAt: now, UpdatedAt: now}
	err := m.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionModeWrite, workspace); err != nil {
			return err
		}
		if err := input.apply(&mode); err != nil {
			return err
		}
		others, err := tables.Modes.List(ctx, workspace)
		if err != nil {
			return err
		}
		if len(others) >= MaxModes {
			return core.Errorf(core.CodeConflict, "a workspace can have at most %d modes: delete one first", MaxModes)
		}
		return tables.Modes.Create(ctx, mode)
	})
	return mode, err
}

// Update changes the mode of a name. A new name leaves chats with the old one.
// Errors are Create's.
func (m *Modes) Update(ctx context.Context, by core.Actor, workspace core.ID, name string, input ModeInput) (core.Mode, error) {
	var mode core.Mode
	err := m.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		before, err := modeOf(ctx, tables, by, workspace, name)
		if err != nil {
			return err
		}
		mode, err = tables.Modes.Update(ctx, before.ID, func(mode *core.Mode) error {
			mode.UpdatedAt = core.At(m.now())
			return input.apply(mode)
		})
		return err
	})
	return mode, err
}

// Delete removes the mode of a name. Chats keep the name, without a definition.
func (m *Modes) Delete(ctx context.Context, by core.Actor, workspace core.ID, name string) error {
	return m.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		mode, err := modeOf(ctx, tables, by, workspace, name)
		if err != nil {
			return err
		}
		return tables.Modes.Delete(ctx, mode.ID)
	})
}

// modeOf returns a mode for a caller who may change it.
func modeOf(ctx context.Context, tables storage.Tables, by core.Actor, workspace core.ID, name string) (core.Mode, error) {
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionModeWrite, workspace); err != nil {
		return core.Mode{}, err
	}
	return tables.Modes.ByName(ctx, workspace, name)
}

func (i ModeInput) apply(mode *core.Mode) error {
	if i.Name != nil {
		name, err := checkModeName(*i.Name)
		if err != nil {
			return err
		}
		mode.Name = name
	}
	if i.Prompt != nil {
		if err := checkPrompt(*i.Prompt); err != nil {
			return err
		}
		mode.Prompt = *i.Prompt
	}
	if i.Tools != nil {
		if err := checkTools(*i.Tools); err != nil {
			return err
		}
		mode.Tools = *i.Tools
	}
	if err := i.applyThinking(mode); err != nil {
		return err
	}
	return i.applyModel(mode)
}

func (i ModeInput) applyThinking(mode *core.Mode) error {
	if i.Thinking == nil {
		return nil
	}
	mode.Thinking = nil
	if *i.Thinking == nil || **i.Thinking == "" {
		return nil
	}
	thinking, err := core.ParseThinking(**i.Thinking)
	mode.Thinking = &thinking
	return err
}

func (i ModeInput) applyModel(mode *core.Mode) error {
	if i.Model == nil {
		return nil
	}
	mode.Model = nil
	if *i.Model == nil || **i.Model == "" {
		return nil
	}
	model, err := core.CheckName("model", **i.Model, MaxModelChars)
	mode.Model = &model
	return err
}

// checkModeName returns the name trimmed. Names of only dots are refused because
// the path of a URL cannot hold them.
func checkModeName(text string) (string, error) {
	name, err := core.CheckName("name", text, core.MaxModeChars)
	switch {
	case err != nil:
		return "", err
	case name == "." || name == "..":
		return "", core.Errorf(core.CodeValidationFailed, "name must not consist of dots alone")
	case core.IsBuiltInMode(name):
		return "", core.Errorf(core.CodeConflict, "the mode %q is built in: choose another name", name)
	}
	return name, nil
}

func checkPrompt(text string) error {
	n := utf8.RuneCountInString(text)
	if strings.TrimSpace(text) == "" || n > core.MaxModePromptChars || !storage.Storable(text) {
		return core.Errorf(core.CodeValidationFailed, "prompt must have 1 to %d characters", core.MaxModePromptChars)
	}
	return nil
}

func checkTools(names []string) error {
	known := tools.Names()
	for at, name := range names {
		if !slices.Contains(known, name) || slices.Contains(names[:at], name) {
			return core.Errorf(core.CodeValidationFailed, "tools may contain only %s, each at most once", strings.Join(known, ", "))
		}
	}
	return nil
}
