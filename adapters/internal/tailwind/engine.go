package tailwind

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"modernc.org/quickjs"

	"github.com/atelierhq/atelier/adapters/internal/jsmachine"
)

// Glue is the module that an engine is bundled from: it imports "tailwindcss" and its colours,
// and nothing else.
var Glue = glueScript + legacyScript

var (
	//go:embed glue.js
	glueScript string
	//go:embed legacy.js
	legacyScript string
)

// maxOutput bounds a compiled style sheet, in characters.
const maxOutput = 16 << 20

// prelude is what Tailwind and its plugins expect of the world.
//
//go:embed prelude.js
var prelude string

// Limits bound what one machine may use. Its steps are evaluating a configuration with
// everything that follows from it, and compiling candidates.
type Limits = jsmachine.Limits

// DefaultLimits allow ten times what a large project with several plugins needs.
func DefaultLimits() Limits { return Limits{Memory: 192 << 20, Time: 10 * time.Second} }

// Engine is one version of Tailwind, ready to be loaded into machines. It is safe for
// concurrent use.
type Engine struct {
	bytecode []byte
	limits   Limits
}

// NewEngine compiles a script: Glue, bundled with a version of Tailwind from 4.0 on.
func NewEngine(script string, limits Limits) (*Engine, error) {
	bytecode, err := jsmachine.Compile(prelude + script)
	if err != nil {
		return nil, fmt.Errorf("load Tailwind: %w", err)
	}
	return &Engine{bytecode: bytecode, limits: limits}, nil
}

// Loader resolves the imports of a style sheet. It is called on the goroutine that
// compiles. Its errors end the compilation, which returns them.
type Loader interface {
	// Stylesheet finds the sheet that a sheet in the directory base imports as id.
	Stylesheet(id, base string) (Stylesheet, error)
	// Module finds a "plugin" or a "config" that a sheet in base names, and bundles it
	// into one CommonJS script.
	Module(id, base, kind string) (Module, error)
}

// Stylesheet is a sheet, with its path and the directory to which its imports are
// relative.
type Stylesheet struct {
	Path    string `json:"path"`
	Base    string `json:"base"`
	Content string `json:"content"`
}

// Module is a script, with its path and the directory to which its imports are relative.
type Module struct {
	Path   string `json:"path"`
	Base   string `json:"base"`
	Script string `json:"script"`
}

// Session is a loaded style sheet, in a machine of its own, that waits for candidates.
// One goroutine at a time uses it. It must be closed.
type Session struct {
	machine *jsmachine.Machine
	about   sheetInfo
	// given are the candidates so far, and output is their result.
	given  map[string]bool
	output string
}

// sheetInfo is what a sheet says about itself.
type sheetInfo struct {
	Settled  bool            `json:"settled"`
	Error    string          `json:"error"`
	Safelist []string        `json:"safelist"`
	Root     json.RawMessage `json:"root"`
	Sources  []struct {
		Base    string `json:"base"`
		Pattern string `json:"pattern"`
		Negated bool   `json:"negated"`
	} `json:"sources"`
	Features int `json:"features"`
	// Bare means that a configuration of version 3 wants no preflight.
	Bare bool `json:"bare"`
}

// Compile loads a style sheet and all its imports. A mistake in them is a *Mistake; any
// other error comes from ctx or from the engine itself.
func (e *Engine) Compile(ctx context.Context, sheet Stylesheet, loader Loader) (*Session, error) {
	m, err := jsmachine.New(e.limits)
	if err != nil {
		return nil, err
	}
	session := &Session{machine: m, given: make(map[string]bool)}
	if err := session.start(ctx, e.bytecode, sheet, loader); err != nil {
		m.Close()
		return nil, err
	}
	return session, nil
}

func (s *Session) start(ctx context.Context, bytecode []byte, sheet Stylesheet, loader Loader) error {
	host := &host{loader: loader}
	err := s.machine.During(ctx, func() error {
		if _, err := s.machine.VM.EvalBytecode(bytecode); err != nil {
			return err
		}
		if err := host.register(s.machine.VM); err != nil {
			return err
		}
		if _, err := s.machine.Call("tailwindStart", sheet.Content, sheet.Path, sheet.Base); err != nil {
			return err
		}
		if _, err := s.machine.VM.ExecutePendingJobs(); err != nil {
			return err
		}
		text, err := s.machine.Call("tailwindState")
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(text), &s.about)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case host.failure != nil:
		return host.failure
	case err != nil:
		return &Mistake{Path: host.blamed(sheet.Path), Message: err.Error()}
	case !s.about.Settled:
		return &Mistake{Path: host.blamed(sheet.Path), Message: "this waits forever"}
	case s.about.Error != "":
		return mistakeOf(s.machine.Plain(s.about.Error), host.blamed(sheet.Path))
	}
	return nil
}

// host is everything that the machine can reach: the loader, within bounds.
type host struct {
	loader  Loader
	loads   int
	bytes   int
	modules []string
	failure error
}

// Bounds on the imports of one style sheet. Their number also bounds their depth.
const (
	maxLoads     = 500
	maxLoadBytes = 32 << 20
)

func (h *host) register(vm *quickjs.VM) error {
	sheets := func(arguments []any) (any, error) {
		id, base := argument(arguments, 0), argument(arguments, 1)
		return h.load(func() (any, int, error) {
			found, err := h.loader.Stylesheet(id, base)
			return found, len(found.Content), err
		})
	}
	modules := func(arguments []any) (any, error) {
		id, base, kind := argument(arguments, 0), argument(arguments, 1), argument(arguments, 2)
		return h.load(func() (any, int, error) {
			found, err := h.loader.Module(id, base, kind)
			h.modules = append(h.modules, found.Path)
			return found, len(found.Script), err
		})
	}
	return errors.Join(vm.RegisterHostFunc("hostStylesheet", sheets), vm.RegisterHostFunc("hostModule", modules))
}

func argument(arguments []any, i int) string {
	if i >= len(arguments) {
		return ""
	}
	text, _ := arguments[i].(string)
	return text
}

func (h *host) load(find func() (found any, size int, err error)) (any, error) {
	h.loads++
	if h.loads > maxLoads {
		return nil, h.fail(&Mistake{Message: fmt.Sprintf("the style sheet imports more than %d files, or itself", maxLoads)})
	}
	found, size, err := find()
	if err != nil {
		return nil, h.fail(err)
	}
	h.bytes += size
	if h.bytes > maxLoadBytes {
		return nil, h.fail(&Mistake{Message: fmt.Sprintf("the style sheet imports more than %d MB", maxLoadBytes>>20)})
	}
	text, err := json.Marshal(found)
	return string(text), err
}

// fail records the first failure.
func (h *host) fail(err error) error {
	if h.failure == nil {
		h.failure = err
	}
	return err
}

// blamed returns the most likely file of a failure without a place: the last script that
// was evaluated, else the sheet.
func (h *host) blamed(sheet string) string {
	if len(h.modules) > 0 {
		return h.modules[len(h.modules)-1]
	}
	return sheet
}
