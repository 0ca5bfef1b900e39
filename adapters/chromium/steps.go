package chromium

import (
	"context"
	_ "embed"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

// Do implements browser.Tab.
func (t *tab) Do(ctx context.Context, step port.Step) error {
	return t.run(ctx, func(ctx context.Context) error {
		if err := t.perform(ctx, step); err != nil {
			return err
		}
		t.acted = time.Now()
		return t.rest(ctx, stepLimit)
	})
}

func (t *tab) perform(ctx context.Context, step port.Step) error {
	switch step.Do {
	case port.Click:
		return t.click(ctx, step.Ref)
	case port.Fill:
		return t.fill(ctx, step.Ref, step.Value)
	case port.Press:
		return t.press(ctx, step.Ref, step.Value)
	case port.Select:
		return t.choose(ctx, step.Ref, step.Value)
	case port.Goto:
		return t.goTo(ctx, step.Value)
	case port.Wait:
		return nil
	}
	return core.Errorf(core.CodeValidationFailed, "%q is no step: use click, fill, press, select, goto or wait", step.Do)
}

// element returns the element that a snapshot names.
func (t *tab) element(ctx context.Context, ref port.Ref) (runtime.RemoteObjectID, error) {
	node, found := t.refs[ref]
	if !found {
		return "", core.Errorf(core.CodeValidationFailed, "there is no element %q: look at the page again", ref)
	}
	resolved, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: t.world.current(), ObjectGroup: worldName})
	if err != nil || resolved.Object == nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", errGone(ref)
	}
	return resolved.Object.ObjectID, nil
}

func errGone(ref port.Ref) error {
	return core.Errorf(core.CodeValidationFailed, "the element %q is no longer on the page: look at it again", ref)
}

// These scripts are functions whose this is an element; they say why a step cannot be done.
var (
	//go:embed web/point.js
	pointScript string
	//go:embed web/focus.js
	focusScript string
	//go:embed web/fill.js
	fillScript string
	//go:embed web/select.js
	selectScript string
)

// reply is what a script answers. Refused says why the step cannot be done.
type reply struct {
	Refused string  `json:"refused"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	// Typed says that the value is to be typed.
	Typed bool `json:"typed"`
}

// ask calls a script on an element.
func (t *tab) ask(ctx context.Context, ref port.Ref, script string, args ...any) (reply, error) {
	element, err := t.element(ctx, ref)
	if err != nil {
		return reply{}, err
	}
	answered, err := call[reply](ctx, element, script, args...)
	switch {
	case err != nil && ctx.Err() == nil && isNavigation(err):
		return reply{}, errGone(ref)
	case err != nil:
		return reply{}, err
	case answered.Refused != "":
		return reply{}, core.Errorf(core.CodeValidationFailed, "the element %q %s", ref, core.Shorten(answered.Refused, port.MaxTextBytes))
	}
	return answered, nil
}

func (t *tab) click(ctx context.Context, ref port.Ref) error {
	at, err := t.ask(ctx, ref, pointScript)
	if err != nil {
		return err
	}
	return chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y), chromedp.MouseClickXY(at.X, at.Y))
}

func (t *tab) fill(ctx context.Context, ref port.Ref, value string) error {
	answered, err := t.ask(ctx, ref, fillScript, value)
	if err != nil || !answered.Typed {
		return err
	}
	if value == "" {
		return chromedp.Do(ctx, chromedp.KeyEvent(kb.Delete))
	}
	_, err = chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: value})
	return err
}

func (t *tab) choose(ctx context.Context, ref port.Ref, value string) error {
	_, err := t.ask(ctx, ref, selectScript, value)
	return err
}

func (t *tab) press(ctx context.Context, ref port.Ref, name string) error {
	if ref != "" {
		if _, err := t.ask(ctx, ref, focusScript); err != nil {
			return err
		}
	}
	key, modifiers, err := parseKey(name)
	if err != nil {
		return err
	}
	return chromedp.Do(ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// parseKey parses a key's name as in KeyboardEvent.key, with modifiers before it:
// "Enter", "a", "Shift+Tab".
func parseKey(name string) (string, []chromedp.Modifier, error) {
	parts := strings.Split(name, "+")
	last := parts[len(parts)-1]
	if last == "" && len(parts) > 1 {
		last, parts = "+", parts[:len(parts)-1]
	}
	var modifiers []chromedp.Modifier
	for _, part := range parts[:len(parts)-1] {
		modifier, known := map[string]chromedp.Modifier{
			"Alt": chromedp.ModifierAlt, "Control": chromedp.ModifierCtrl, "Meta": chromedp.ModifierMeta, "Shift": chromedp.ModifierShift,
		}[part]
		if !known {
			return "", nil, errKey(name)
		}
		modifiers = append(modifiers, modifier)
	}
	if len([]rune(last)) == 1 {
		return last, modifiers, nil
	}
	key, known := map[string]string{
		"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete, "Space": " ",
		"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
		"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
	}[last]
	if !known {
		return "", nil, errKey(name)
	}
	return key, modifiers, nil
}

func errKey(name string) error {
	return core.Errorf(core.CodeValidationFailed, "%q is no key: use a name as Enter, Escape, Tab, ArrowDown, a character, or Control+a", core.Shorten(name, 40))
}

// goTo opens a path of the page's host.
func (t *tab) goTo(ctx context.Context, path string) error {
	at, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || at.Host != "" || len(path) > 2048 {
		return core.Errorf(core.CodeValidationFailed, "%q is no path of the page: it begins with /", core.Shorten(path, 80))
	}
	return t.navigate(ctx, t.at.Scheme+"://"+t.at.Host+path)
}
