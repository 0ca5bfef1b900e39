package chromium

import (
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/runtime"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

// eventLog keeps what a page logs, and its failed requests.
type eventLog struct {
	mu   sync.Mutex
	kept port.Log
}

// take returns what is kept, and forgets it.
func (l *eventLog) take() port.Log {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.kept
	l.kept = port.Log{}
	return kept
}

func (l *eventLog) add(kind port.LineKind, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept.Lines) >= port.MaxLogLines {
		l.kept.Dropped++
		return
	}
	l.kept.Lines = append(l.kept.Lines, port.Line{Kind: kind, Text: core.Shorten(text, port.MaxLineBytes)})
}

func (l *eventLog) addRequest(failed port.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept.Requests) >= port.MaxLogLines {
		l.kept.Dropped++
		return
	}
	failed.URL = core.Shorten(failed.URL, port.MaxLineBytes)
	l.kept.Requests = append(l.kept.Requests, failed)
}

// notice keeps exceptions, errors and warnings.
func (l *eventLog) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		l.add(port.Exception, describe(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		switch e.Type {
		case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeAssert:
			l.add(port.ConsoleError, joined(e.Args))
		case runtime.ConsoleAPICalledTypeWarning:
			l.add(port.ConsoleWarning, joined(e.Args))
		}
	}
}

// describe writes an exception with its stack, if it has one.
func describe(details *runtime.ExceptionDetails) string {
	if details.Exception == nil {
		return details.Text
	}
	said := textOf(details.Exception)
	if strings.Contains(details.Text, "in promise") {
		return "in a promise: " + said
	}
	return said
}

// joined writes the arguments of a call of the console.
func joined(args []*runtime.RemoteObject) string {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = textOf(arg)
	}
	return strings.Join(texts, " ")
}

// textOf writes a value of the page.
func textOf(value *runtime.RemoteObject) string {
	if text, err := strconv.Unquote(string(value.Value)); err == nil {
		return text
	}
	if value.Description != "" {
		return value.Description
	}
	return string(value.Value)
}
