package commands

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxCommands bounds the commands of a workspace.
const MaxCommands = 100

// Service has the use cases around workspaces' commands. Many goroutines may use it.
type Service struct {
	store storage.Store
	audit *audit.Log
	now   func() time.Time
}

// New returns the use cases.
func New(store storage.Store, log *audit.Log, now func() time.Time) *Service {
	return &Service{store, log, now}
}

// Command is a command as people see it. Text is nil for a built-in one.
type Command struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Text        *string `json:"text"`
	BuiltIn     bool    `json:"builtIn"`
}

func shown(command core.Command) Command {
	return Command{Name: command.Name, Description: command.Description, Text: &command.Text}
}

// builtIn describes the built-in commands, by name.
func builtIn() []Command {
	return []Command{
		{Name: core.CommandCheck, Description: "Play the project's checks; with words behind it, have the agent keep a check of that", BuiltIn: true},
		{Name: core.CommandFix, Description: "Have the agent mend what is wrong now: build, types, page, console and checks", BuiltIn: true},
		{Name: core.CommandPlan, Description: "Have the agent plan this, and change nothing", BuiltIn: true},
	}
}

// Input describes a command to create or a change of one. Nil fields are left unchanged. Create
// needs Name and Text.
type Input struct{ Name, Description, Text *string }

// List returns the built-in commands and then the workspace's, each by name.
func (s *Service) List(ctx context.Context, by core.Actor, workspace core.ID) ([]Command, error) {
	tables := s.store.Tables()
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionCommandRead, workspace); err != nil {
		return nil, err
	}
	own, err := tables.Commands.List(ctx, workspace)
	listed := builtIn()
	for _, command := range own {
		listed = append(listed, shown(command))
	}
	return listed, err
}

// Create makes a command. It returns core.CodeValidationFailed for a field out of bounds, and
// core.CodeConflict for a name that is taken, also by a built-in command, and beyond MaxCommands.
func (s *Service) Create(ctx context.Context, by core.Actor, workspace core.ID, input Input) (Command, error) {
	if input.Name == nil || input.Text == nil {
		return Command{}, core.Errorf(core.CodeValidationFailed, "a command must have name and text")
	}
	now := core.At(s.now())
	command := core.Command{ID: core.NewID(), WorkspaceID: workspace, CreatedAt: now, UpdatedAt: now}
	err := s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionCommandWrite, workspace); err != nil {
			return err
		}
		if err := input.apply(&command); err != nil {
			return err
		}
		others, err := tables.Commands.List(ctx, workspace)
		if err != nil {
			return err
		}
		if len(others) >= MaxCommands {
			return core.Errorf(core.CodeConflict, "a workspace can have at most %d commands: delete one first", MaxCommands)
		}
		if err := tables.Commands.Create(ctx, command); err != nil {
			return err
		}
		return s.audit.Record(ctx, tables, by, workspace, core.AuditWorkspaceUpdated, "command: /"+command.Name+" made")
	})
	return shown(command), err
}

// Update changes the command of a name. Errors are Create's.
func (s *Service) Update(ctx context.Context, by core.Actor, workspace core.ID, name string, input Input) (Command, error) {
	var command core.Command
	err := s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		before, err := commandOf(ctx, tables, by, workspace, name)
		if err != nil {
			return err
		}
		command, err = tables.Commands.Update(ctx, before.ID, func(command *core.Command) error {
			command.UpdatedAt = core.At(s.now())
			return input.apply(command)
		})
		if err != nil {
			return err
		}
		return s.audit.Record(ctx, tables, by, workspace, core.AuditWorkspaceUpdated, "command: /"+command.Name+" changed")
	})
	return shown(command), err
}

// Delete removes the command of a name.
func (s *Service) Delete(ctx context.Context, by core.Actor, workspace core.ID, name string) error {
	return s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		command, err := commandOf(ctx, tables, by, workspace, name)
		if err != nil {
			return err
		}
		if err := tables.Commands.Delete(ctx, command.ID); err != nil {
			return err
		}
		return s.audit.Record(ctx, tables, by, workspace, core.AuditWorkspaceUpdated, "command: /"+command.Name+" deleted")
	})
}

// commandOf returns a command for a caller who may change it.
func commandOf(ctx context.Context, tables storage.Tables, by core.Actor, workspace core.ID, name string) (core.Command, error) {
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionCommandWrite, workspace); err != nil {
		return core.Command{}, err
	}
	return tables.Commands.ByName(ctx, workspace, name)
}

func (i Input) apply(command *core.Command) error {
	if i.Name != nil {
		switch {
		case !core.IsCommandName(*i.Name):
			return core.Errorf(core.CodeValidationFailed, "name must have 1 to %d small letters, digits and hyphens, and not begin with a hyphen", core.MaxCommandChars)
		case slices.Contains(core.BuiltInCommands(), *i.Name):
			return core.Errorf(core.CodeConflict, "the command /%s is built in: choose another name", *i.Name)
		}
		command.Name = *i.Name
	}
	if i.Description != nil {
		description := strings.TrimSpace(*i.Description)
		if utf8.RuneCountInString(description) > core.MaxCommandDescriptionChars || strings.ContainsAny(description, "\r\n") || !storage.Storable(description) {
			return core.Errorf(core.CodeValidationFailed, "description must be one line of at most %d characters", core.MaxCommandDescriptionChars)
		}
		command.Description = description
	}
	if i.Text != nil {
		if strings.TrimSpace(*i.Text) == "" || utf8.RuneCountInString(*i.Text) > core.MaxCommandTextChars || !storage.Storable(*i.Text) {
			return core.Errorf(core.CodeValidationFailed, "text must have 1 to %d characters", core.MaxCommandTextChars)
		}
		command.Text = *i.Text
	}
	return nil
}
