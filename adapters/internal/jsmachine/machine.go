// Package jsmachine runs untrusted JavaScript in QuickJS: without files, network or process, within
// bounds on memory and time. It belongs into a worker process all the same.
package jsmachine

import (
	"context"
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
	// Time bounds one step, such as the evaluation of a script with everything that follows
	// from it.
	Time time.Duration
}

// Machine is a virtual machine for JavaScript. One goroutine at a time uses it. It is
// unusable after an interrupted call.
type Machine struct {
	VM     *quickjs.VM
	Limits Limits
	// Broken is set once a step has failed.
	Broken bool
}

// errStopped is QuickJS's message when it was interrupted or ran out of time.
const errStopped = "interrupted"

// Compile precompiles a script, which machines then load ten times faster.
func Compile(script string) (bytecode []byte, err error) {
	defer containPanic(&err)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer vm.Close()
	return vm.Compile(script, quickjs.EvalGlobal)
}

// New returns a machine. It must be closed.
func New(limits Limits) (m *Machine, err error) {
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
	return &Machine{VM: vm, Limits: limits}, nil
}

// During runs do, which ends soon after ctx. A panic of the machine becomes an error.
func (m *Machine) During(ctx context.Context, do func() error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the JavaScript engine failed: %v", cause)
		}
		m.Broken = m.Broken || err != nil
	}()
	stop := context.AfterFunc(ctx, m.VM.Interrupt)
	defer stop()
	err = do()
	if ended := ctx.Err(); ended != nil && err != nil {
		return ended
	}
	return m.explain(err)
}

// explain translates QuickJS's messages about limits.
func (m *Machine) explain(err error) error {
	var thrown *quickjs.Error
	if !errors.As(err, &thrown) {
		return err
	}
	return errors.New(m.Plain(thrown.Message))
}

// Plain is a message of QuickJS, with its limits in plain words.
func (m *Machine) Plain(message string) string {
	switch {
	case strings.Contains(message, errStopped):
		return fmt.Sprintf("this takes longer than %v", m.Limits.Time)
	case strings.Contains(message, "out of memory"):
		return fmt.Sprintf("this takes more than %d MB of memory", m.Limits.Memory>>20)
	case strings.Contains(message, "stack overflow"):
		return "this nests too deeply"
	}
	return message
}

// Eval runs a script in the global scope.
func (m *Machine) Eval(script string) error {
	_, err := m.VM.Eval(script, quickjs.EvalGlobal)
	return err
}

// Call calls a global function that returns a string.
func (m *Machine) Call(function string, arguments ...any) (string, error) {
	result, err := m.VM.Call(function, arguments...)
	if err != nil {
		return "", err
	}
	text, _ := result.(string)
	return text, nil
}

// Close releases the machine.
func (m *Machine) Close() {
	defer func() { _ = recover() }() // a machine that failed may fail to close as well
	_ = m.VM.Close()
}

func containPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the JavaScript engine failed: %v", cause)
	}
}
