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
	Model *string `json:"model"`
	// Thinking is how much the model thinks before it answers, nil as the model does by itself.
	Thinking  *Thinking `json:"thinking"`
	CreatedAt Time      `json:"createdAt"`
	UpdatedAt Time      `json:"updatedAt"`

	ID          ID `json:"-"`
	WorkspaceID ID `json:"-"`
}

// Thinking is how much a model thinks before it answers. "" leaves it to the model.
type Thinking string

// The amounts of thinking. ThinkingOff is as little as the model can.
const (
	ThinkingOff    Thinking = "off"
	ThinkingLow    Thinking = "low"
	ThinkingMedium Thinking = "medium"
	ThinkingHigh   Thinking = "high"
)

// ParseThinking returns CodeValidationFailed for any other word, the empty one among them.
func ParseThinking(text string) (Thinking, error) {
	switch thinking := Thinking(text); thinking {
	case ThinkingOff, ThinkingLow, ThinkingMedium, ThinkingHigh:
		return thinking, nil
	}
	return "", Errorf(CodeValidationFailed, "thinking must be off, low, medium or high")
}

// IsBuiltInMode reports whether a name is that of a mode which every workspace
// has.
func IsBuiltInMode(name string) bool {
	return name == ModeBuild || name == ModePlan || name == ModeChat
}

// MaxModePromptChars bounds the prompt of a mode.
const MaxModePromptChars = 10_000
