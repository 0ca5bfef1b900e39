package core

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// Bounds of checks.
const (
	// MaxChecks is how many checks of a project are listed and played.
	MaxChecks = 100
	// MaxCheckBytes bounds the file of a check.
	MaxCheckBytes = 64 << 10
	// MaxCheckSteps bounds the steps of a check, MaxActSteps those of one call of the
	// agent's tool act.
	MaxCheckSteps = 50
	MaxActSteps   = 10
	// MaxCheckTitle bounds a title, in characters.
	MaxCheckTitle = 100
	// MaxCheckText bounds other texts of a check, in bytes.
	MaxCheckText = 1000
	// maxCheckUser bounds an address, in bytes.
	maxCheckUser = 320
	// MaxCheckCount bounds the elements that a step counts, or chooses among.
	MaxCheckCount = 1000
)

// CheckGuest is the Check.As of a visitor who has not signed in.
const CheckGuest = "guest"

// Check is a sequence of steps on a project's pages with expectations of what they show. It is a file of the project.
type Check struct {
	Title string `json:"title"`
	// Path is where it begins, with a slash first.
	Path string `json:"path"`
	// As is CheckGuest, or the e-mail address of a user in the seed of the project's backend.
	As    string      `json:"as,omitempty"`
	Steps []CheckStep `json:"steps"`
}

// CheckStep either does something or expects something: one of Do and Expect is set.
type CheckStep struct {
	Do     CheckVerb        `json:"do,omitempty"`
	Expect CheckExpectation `json:"expect,omitempty"`
	// Target is the element. Steps without one are about the page.
	Target *CheckTarget `json:"target,omitempty"`
	// Value is the argument of a verb or an expectation.
	Value string `json:"value,omitempty"`
	// Count is the number for ExpectCount.
	Count *int `json:"count,omitempty"`
}

// CheckVerb is the action of a step.
type CheckVerb string

// The verbs.
const (
	// CheckClick clicks on the target.
	CheckClick CheckVerb = "click"
	// CheckFill replaces the target's content by the value, which may be empty.
	CheckFill CheckVerb = "fill"
	// CheckPress presses the key that the value names, as in KeyboardEvent.key, in the target
	// if there is one.
	CheckPress CheckVerb = "press"
	// CheckSelect chooses the option with the value as its text.
	CheckSelect CheckVerb = "select"
	// CheckGoto opens the value, a path.
	CheckGoto CheckVerb = "goto"
	// CheckWait waits until the page is idle.
	CheckWait CheckVerb = "wait"
)

// CheckExpectation is an expectation of a step. An expectation may come true a moment later.
type CheckExpectation string

// The expectations.
const (
	// ExpectVisible expects at least one element that fits the target, ExpectHidden none.
	ExpectVisible CheckExpectation = "visible"
	ExpectHidden  CheckExpectation = "hidden"
	// ExpectText expects the value somewhere in the target's name, value or content, or
	// without a target somewhere on the page.
	ExpectText CheckExpectation = "text"
	// ExpectURL expects the value as the page's path. Query and fragment are compared if the
	// value has them.
	ExpectURL CheckExpectation = "url"
	// ExpectCount expects that Count elements fit the target.
	ExpectCount CheckExpectation = "count"
)

// CheckStates returns the states of elements that a target may have.
func CheckStates() []string {
	return []string{"checked", "collapsed", "disabled", "expanded", "focused", "invalid", "pressed", "required", "selected"}
}

// CheckTarget names an element as assistive technology does.
type CheckTarget struct {
	// Role is an ARIA role, or "text".
	Role string `json:"role"`
	// Name is the whole accessible name, where upper and lower case and the amount of space do
	// not matter. Elements of any name fit an empty one.
	Name string `json:"name,omitempty"`
	// Nth chooses among the elements that fit, from 1, in the document's order. If it is 0,
	// a step that does something needs exactly one.
	Nth int `json:"nth,omitempty"`
	// State is one of CheckStates that the element has, such as "checked"; any if it is empty.
	State string `json:"state,omitempty"`
	// Ref is a reference of the agent's last look, instead of everything else. No file has it.
	Ref string `json:"-"`
}

// checkNamePattern matches names of checks. They are names of files.
var checkNamePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// maxCheckName bounds a check's name, in bytes.
const maxCheckName = 60

// CheckFolder is the folder of checks in a project.
const CheckFolder = ".atelier/checks"

// ParseCheckName returns CodeValidationFailed unless a text can be the name of a check.
func ParseCheckName(text string) (string, error) {
	if len(text) > maxCheckName || !checkNamePattern.MatchString(text) {
		return "", Errorf(CodeValidationFailed, "the name of a check must have 1 to %d lower-case letters, digits and single hyphens between them", maxCheckName)
	}
	if _, err := ParsePath(CheckFolder + "/" + text + ".json"); err != nil {
		return "", Errorf(CodeValidationFailed, "a check cannot be called %q: no file can, on some systems", text)
	}
	return text, nil
}

// CheckPath returns the file of a check. The name has passed ParseCheckName.
func CheckPath(name string) ProjectPath { return MustPath(CheckFolder + "/" + name + ".json") }

// CheckNameOf returns the name of the check whose file a path is, and false for other files.
func CheckNameOf(path ProjectPath) (string, bool) {
	if path.Dir().String() != CheckFolder || len(path.Base()) < len(".json") {
		return "", false
	}
	base := path.Base()
	name, err := ParseCheckName(base[:len(base)-len(".json")])
	return name, err == nil && base[len(name):] == ".json"
}

// Encode returns the check as a file, which ParseCheck accepts.
func (c Check) Encode() []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	// A check has nothing that JSON cannot say.
	_ = encoder.Encode(c)
	return out.Bytes()
}

// CheckOutcome is the result of the last play of a check.
type CheckOutcome struct {
	ProjectID ID
	Name      string
	Passed    bool
	// Step is the one that failed, from 1, and 0 if none did. Message says why.
	Step    int
	Message string
	// Millis is how long it took.
	Millis   int64
	PlayedAt Time
	// PicturedAt is when the picture of the last failure was taken, 0 if there is none.
	PicturedAt Time
}

// CheckFailure is a check that failed.
type CheckFailure struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Step is the one that failed, from 1, and 0 if none was reached.
	Step    int    `json:"step,omitempty"`
	Message string `json:"message"`
	// Shown is the text of the page then, in few words.
	Shown string `json:"-"`
}

const (
	// MaxCheckMessage bounds a message, in bytes.
	MaxCheckMessage = 1000
	// MaxCheckPicture bounds a picture, in bytes.
	MaxCheckPicture = 1 << 20
)
