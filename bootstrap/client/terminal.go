package client

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// hasTerminal reports whether a file is a terminal.
func hasTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

// ask asks a person for a line, on the terminal, or reads the next line of the input.
func (in *invocation) ask(question string) (string, error) {
	if isTerminal(in.In) {
		fmt.Fprintf(in.Errs, "%s", question)
	}
	return in.line()
}

// askSecret is ask without an echo.
func (in *invocation) askSecret(question string) (string, error) {
	file, is := in.In.(*os.File)
	if !is || !hasTerminal(file) {
		return in.line()
	}
	fmt.Fprintf(in.Errs, "%s", question)
	text, err := term.ReadPassword(int(file.Fd()))
	fmt.Fprintln(in.Errs)
	return strings.TrimSpace(string(text)), err
}

// line reads a line of the input.
func (in *invocation) line() (string, error) {
	text, err := in.input.ReadString('\n')
	if errors.Is(err, io.EOF) && text != "" {
		err = nil
	}
	if errors.Is(err, io.EOF) {
		return "", wrongUse("the input ended before everything was answered")
	}
	return strings.TrimRight(text, "\r\n"), err
}
