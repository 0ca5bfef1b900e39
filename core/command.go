package core

import (
	"regexp"
	"strings"
)

// Command is a command of the chat that a workspace defined: a text for the agent, which people
// call by its name.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Text goes to the agent. CommandArguments in it stands for the words behind the name.
	Text string `json:"text"`

	CreatedAt   Time `json:"-"`
	UpdatedAt   Time `json:"-"`
	ID          ID   `json:"-"`
	WorkspaceID ID   `json:"-"`
}

// CommandArguments stands in a command's text for the words that the person wrote behind its name.
const CommandArguments = "$ARGUMENTS"

// The built-in commands.
const (
	// CommandPlan has the message answered in plan mode.
	CommandPlan = "plan"
	// CommandFix gives the agent what is wrong with the project now.
	CommandFix = "fix"
	// CommandCheck plays the project's checks, or has the agent keep one.
	CommandCheck = "check"
)

// BuiltInCommands returns the names of the commands that every workspace has.
func BuiltInCommands() []string { return []string{CommandCheck, CommandFix, CommandPlan} }

// Limits of commands.
const (
	MaxCommandChars            = 30
	MaxCommandDescriptionChars = 200
	MaxCommandTextChars        = 10_000
)

var commandName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,29}$`)

// IsCommandName reports whether a text is written as the name of a command: small letters, digits
// and hyphens.
func IsCommandName(name string) bool { return commandName.MatchString(name) }

// SplitCommand returns the name of the command with which a message begins, and the words behind
// it. A message that begins otherwise has none.
func SplitCommand(text string) (name, arguments string) {
	if !strings.HasPrefix(text, "/") {
		return "", ""
	}
	name = text[1:]
	if at := strings.IndexAny(name, " \t\r\n"); at >= 0 {
		name, arguments = name[:at], strings.TrimSpace(name[at:])
	}
	if !IsCommandName(name) {
		return "", ""
	}
	return name, arguments
}
