package core

// Mode is a way of working that a workspace defined for the agent. Its name is a
// Chat.Mode.
type Mode struct {
	Name   string `json:"name"`
	Prompt string `json:"prompt"`
	// Tools are the names of the tools that the agent may use.
	Tools []string `json:"tools"`
	// Model is the model that answers unless the message names another; nil leaves
	// the choice to the workspace.
	Model     *string `json:"model"`
	CreatedAt Time    `json:"createdAt"`
	UpdatedAt Time    `json:"updatedAt"`

	ID          ID `json:"-"`
	WorkspaceID ID `json:"-"`
}

// IsBuiltInMode reports whether a name is that of a mode which every workspace
// has.
func IsBuiltInMode(name string) bool {
	return name == ModeBuild || name == ModePlan || name == ModeChat
}

// MaxModePromptChars bounds the prompt of a mode.
const MaxModePromptChars = 10_000
