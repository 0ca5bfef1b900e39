// Package browser is the port to the browser in which the service opens its own sites and
// previews: to take pictures of them, and to use them as a person would.
package browser

import (
	"context"
	"time"
)

// Window is the size of a page's window in CSS pixels.
type Window struct{ Width, Height int }

// Sizes of windows.
const (
	DesktopWidth, DesktopHeight = 1280, 800
	PhoneWidth, PhoneHeight     = 390, 844
)

// Bounds of a tab.
const (
	// MaxNodes is how many nodes a snapshot has, MaxTextBytes how long the name or the value
	// of one is.
	MaxNodes     = 1000
	MaxTextBytes = 300
	// MaxLineBytes bounds a line of the console.
	MaxLineBytes = 1000
	// MaxLogLines bounds the console's lines, and the requests, that are kept between two
	// calls of Log.
	MaxLogLines = 50
	// MaxPictureBytes bounds a picture.
	MaxPictureBytes = 4 << 20
	// Foreseen is how far ahead Await looks for a change before it gives up.
	Foreseen = 10 * time.Second
)

// Browser opens pages. It may be used by many goroutines.
type Browser interface {
	// Available returns nil if pages can be opened, else core.CodeSandboxUnavailable with a
	// message that says what to install. It is cheap after the first call.
	Available(ctx context.Context) error
	// Open opens a page in a tab that shares nothing with any other, and waits until it
	// has loaded and is idle. It waits while too many tabs are open.
	//
	// The page is untrusted code: it runs isolated from everything else on the machine, and
	// can only request resources of its own host.
	//
	// A page's streams of events (EventSource) last as long as the page, and no page waits for
	// one to be idle; a ReadOnly page has none.
	//
	// It returns Available's error; core.CodeUnavailable if the page does not load in time,
	// or crashes the browser; and ctx's error if ctx ends first. A page that answers with an
	// error status opens, too: see Tab.Status. Close the tab.
	Open(ctx context.Context, page Page) (Tab, error)
}

// Page says which page Open opens, and how.
type Page struct {
	// Address is the page's http or https address at the host of a site or preview, at most
	// 4096 bytes.
	Address string
	// Tenant names whose page it is: a browser process serves one tenant at a time.
	Tenant string
	// Window is a desktop's if it is zero.
	Window Window
	// Dark asks the page for its dark colours.
	Dark bool
	// ReadOnly refuses the page's requests other than GET and HEAD.
	ReadOnly bool
	// Storage is put into the host's local storage before the page's scripts run.
	Storage map[string]string
}

// Tab is an open page. Its methods may not be called at the same time. After an error other
// than core.CodeValidationFailed only Close may be called.
type Tab interface {
	// Status is the HTTP status of the page that is shown.
	Status() int
	// Snapshot returns what the page shows. Its references are valid until the next
	// Snapshot, while their elements are on the page. An element keeps its reference as
	// long as it is on the page; no other element of the tab ever has the same.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Await waits until the page has changed since the last Snapshot, at most for a while,
	// and reports whether it has. It may miss a change of styles or of the address alone. It
	// returns earlier if no timer, request or other work of the page can change it within Foreseen.
	Await(ctx context.Context, within time.Duration) (changed bool, err error)
	// Do performs a step as a person would, and waits until the page is idle. It returns
	// core.CodeValidationFailed with the reason if the step is not possible.
	Do(ctx context.Context, step Step) error
	// Picture returns a PNG of what the window shows, scaled to a width in pixels.
	Picture(ctx context.Context, width int) ([]byte, error)
	// Log returns what has happened since it was last called.
	Log() Log
	// Close ends the page. When it returns, the page no longer runs.
	Close()
}

// Snapshot is a page as assistive technology gets it.
type Snapshot struct {
	// URL is the page's address without scheme and host, Title its title.
	URL, Title string
	// Blank means that the page shows nothing at all.
	Blank bool
	// Nodes are in document order. Nodes inside others follow them, with a greater depth.
	Nodes []Node
	// Cut means that the page has more nodes than MaxNodes.
	Cut bool
}

// Ref names an element of a snapshot.
type Ref string

// Node is an element, or a text.
type Node struct {
	Depth int
	// Role is the ARIA role; RoleText is that of a text outside of elements with names.
	Role Role
	// Name is the accessible name, or the text.
	Name string
	// Value is the text or choice in an input.
	Value string
	// Level is a heading's.
	Level  int
	States []State
	// Ref names the element in steps.
	Ref Ref
}

// Role is an ARIA role.
type Role string

// Roles that the service knows. Pages have others, too.
const (
	RoleText     Role = "text"
	RoleHeading  Role = "heading"
	RoleLink     Role = "link"
	RoleButton   Role = "button"
	RoleTextbox  Role = "textbox"
	RoleCheckbox Role = "checkbox"
	RoleRadio    Role = "radio"
	RoleCombobox Role = "combobox"
	RoleImage    Role = "image"
	RoleList     Role = "list"
	RoleListitem Role = "listitem"
)

// State is an unusual state of an element, such as disabled.
type State string

// States of elements.
const (
	Checked   State = "checked"
	Selected  State = "selected"
	Pressed   State = "pressed"
	Expanded  State = "expanded"
	Collapsed State = "collapsed"
	Disabled  State = "disabled"
	Required  State = "required"
	Invalid   State = "invalid"
	Focused   State = "focused"
)

// Verb is the action of a step.
type Verb string

// The verbs.
const (
	// Click clicks on an element.
	Click Verb = "click"
	// Fill replaces the content of an input with the value.
	Fill Verb = "fill"
	// Press presses the key that the value names, as in KeyboardEvent.key, in the element if
	// there is one.
	Press Verb = "press"
	// Select chooses the option with the value as its text.
	Select Verb = "select"
	// Goto opens the value, a path on the same host.
	Goto Verb = "goto"
	// Wait waits until the page is idle.
	Wait Verb = "wait"
)

// Step is one action of a person.
type Step struct {
	Do    Verb
	Ref   Ref
	Value string
}

// Log lists what happened on a page, oldest first.
type Log struct {
	Lines    []Line
	Requests []Request
	// Dropped is how many lines and requests were too many to keep.
	Dropped int
}

// Line is a message of a page.
type Line struct {
	Kind LineKind
	Text string
}

// LineKind is the source of a line.
type LineKind string

// The kinds of lines.
const (
	// Exception is an exception, or a rejected promise, that nothing caught.
	Exception LineKind = "exception"
	// ConsoleError and ConsoleWarning come from console.error and console.warn.
	ConsoleError   LineKind = "error"
	ConsoleWarning LineKind = "warning"
	// Dialog is the text of an alert, a question or a prompt. They are accepted.
	Dialog LineKind = "dialog"
	// Popup is the address of a window that the page tried to open.
	Popup LineKind = "popup"
)

// Request is a request that failed.
type Request struct {
	Method, URL string
	Kind        RequestKind
	// Own means that it went to the page's own host. All others are refused.
	Own bool
	// Status is the answer's, 0 without an answer.
	Status int
}

// RequestKind is a page's use of an answer.
type RequestKind string

// The kinds of requests. KindData is a request of a script; KindOther has pictures, fonts and
// everything else that a page can do without.
const (
	KindPage   RequestKind = "page"
	KindScript RequestKind = "script"
	KindStyle  RequestKind = "style"
	KindData   RequestKind = "data"
	KindOther  RequestKind = "other"
)
