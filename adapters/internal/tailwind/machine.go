package tailwind

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/quickjs"
)

// Limits bound what one machine may use.
type Limits struct {
	// Memory is in bytes.
	Memory uintptr
	// Time bounds one step: evaluating a configuration with everything that follows from
	// it, or compiling candidates.
	Time time.Duration
}

// DefaultLimits allow ten times what a large project with several plugins needs.
func DefaultLimits() Limits { return Limits{Memory: 192 << 20, Time: 10 * time.Second} }

// machine is a virtual machine for JavaScript. One goroutine at a time uses it. It is
// unusable after an interrupted call.
type machine struct {
	vm     *quickjs.VM
	limits Limits
	broken bool
}

// errStopped is QuickJS's message when it was interrupted or ran out of time.
const errStopped = "interrupted"

//go:embed prelude.js
var prelude string

// compileScript precompiles a script, which machines then load ten times faster.
func compileScript(script string) (bytecode []byte, err error) {
	defer containPanic(&err)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer vm.Close()
	return vm.Compile(prelude+script, quickjs.EvalGlobal)
}

func newMachine(limits Limits) (m *machine, err error) {
	defer containPanic(&err)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	vm.SetMemoryLimit(limits.Memory)
	if err := vm.SetEvalTimeout(limits.Time); err != nil {
		_ = vm.Close()
		return nil, err
	}
	return &machine{vm: vm, limits: limits}, nil
}

// during runs do, which ends soon after ctx. A panic of the machine becomes an error.
func (m *machine) during(ctx context.Context, do func() error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the JavaScript engine failed: %v", cause)
		}
		m.broken = m.broken || err != nil
	}()
	stop := context.AfterFunc(ctx, m.vm.Interrupt)
	defer stop()
	err = do()
	if ended := ctx.Err(); ended != nil && err != nil {
		return ended
	}
	return m.explain(err)
}

// explain translates QuickJS's messages about limits.
func (m *machine) explain(err error) error {
	var thrown *quickjs.Error
	if !errors.As(err, &thrown) {
		return err
	}
	return errors.New(m.plain(thrown.Message))
}

func (m *machine) plain(message string) string {
	switch {
	case strings.Contains(message, errStopped):
		return fmt.Sprintf("this takes longer than %v", m.limits.Time)
	case strings.Contains(message, "out of memory"):
		return fmt.Sprintf("this takes more than %d MB of memory", m.limits.Memory>>20)
	case strings.Contains(message, "stack overflow"):
		return "this nests too deeply"
	}
	return message
}

// call calls a global function that returns a string.
func (m *machine) call(function string, arguments ...any) (string, error) {
	result, err := m.vm.Call(function, arguments...)
	if err != nil {
		return "", err
	}
	text, _ := result.(string)
	return text, nil
}

func (m *machine) close() {
	defer func() { _ = recover() }() // a machine that failed may fail to close as well
	_ = m.vm.Close()
}

func containPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the JavaScript engine failed: %v", cause)
	}
}
