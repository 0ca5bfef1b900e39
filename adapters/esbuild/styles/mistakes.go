package styles

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// place turns a mistake into a message about one of the project's files.
func (w *compilation) place(m *tailwind.Mistake) api.Message {
	name := strings.TrimPrefix(m.Path, "/")
	if name == "" {
		name = w.name
	}
	message := api.Message{Text: "Tailwind CSS: " + m.Message, Location: &api.Location{File: name, Namespace: project.NsProject}}
	if strings.HasPrefix(name, "node_modules/") {
		message.Location = &api.Location{File: name, Namespace: "file"}
		return message
	}
	text, err := w.project.Src.Read(name, project.MaxModuleBytes)
	switch {
	case err != nil:
	case m.Line > 0:
		return project.MessageAt(name, text, offsetAt(text, m.Line, m.Column), message.Text)
	case project.LoaderOf(name) == api.LoaderCSS || project.LoaderOf(name) == api.LoaderLocalCSS:
		return w.search(m, name, text, message.Text)
	}
	return message
}

// search searches all sheets that were read for the words that a mistake is about.
func (w *compilation) search(m *tailwind.Mistake, name string, text []byte, problem string) api.Message {
	for _, sheet := range append([]string{name}, w.read...) {
		content, err := w.project.Src.Read(sheet, project.MaxModuleBytes)
		if err != nil {
			continue
		}
		for _, word := range m.Names {
			if at := tailwind.Find(content, word); at >= 0 {
				return project.MessageAt(sheet, content, at, problem)
			}
		}
	}
	return project.MessageAt(name, text, max(tailwind.Directive(text), 0), problem)
}

// offsetAt returns the offset of a line and a column in UTF-16 units, both counted from
// 1. A place outside is the end of the line or of the text.
func offsetAt(text []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end + 1
	}
	units := 0
	for i, r := range string(text[at:]) {
		if units >= column-1 || r == '\n' {
			return at + i
		}
		units++
		if r > 0xffff {
			units++
		}
	}
	return len(text)
}

// Failure is the failure of Tailwind itself in one build. Goroutines of esbuild compile
// the build's style sheets.
type Failure struct {
	mu    sync.Mutex
	first error
}

// Bind returns the stylist's method for a build that lasts as long as ctx.
func (f *Failure) Bind(ctx context.Context, s *Stylist) project.StyleMaker {
	return func(own *project.Project, name string, text []byte) ([]byte, []api.Message) {
		css, messages, err := s.styles(ctx, own, name, text)
		if err == nil {
			return css, messages
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.first == nil {
			f.first = err
		}
		return nil, []api.Message{{Text: "Tailwind CSS cannot be run", Location: &api.Location{File: name, Namespace: project.NsProject}}}
	}
}

// Failure returns the error with which a build ends, nil if there is none.
func (f *Failure) Failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}
