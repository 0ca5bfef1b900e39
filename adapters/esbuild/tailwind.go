package esbuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/sync/singleflight"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// stylist compiles style sheets with Tailwind. It may be used by many goroutines.
//
// What a sheet and its configuration say is a plan, which holds as long as what
// was read for it is the same. A plan with the class names of the project's
// sources gives a sheet. Sessions, which are machines that have read a plan's
// sheets, wait for the next class names.
type stylist struct {
	flights singleflight.Group
	engines *recent[*tailwindEngine]
	plans   *recent[*stylePlan]
	// sheets are compiled ones, by plan and by what the sources say.
	sheets *recent[string]
	// words are the candidates in a file, by its content.
	words    *recent[[]string]
	scripts  *recent[*pluginScript]
	sessions sessionPool
	lastPlan atomic.Int64
}

// What the stylist's caches may hold.
const (
	maxEngines     = 8
	maxPlans       = 1000
	maxSheetBytes  = 32 << 20
	maxWordBytes   = 32 << 20
	maxScriptBytes = 32 << 20
)

func newStylist() *stylist {
	one := func(*tailwindEngine) int64 { return 1 }
	return &stylist{
		engines: newRecent(maxEngines, one),
		plans:   newRecent(maxPlans, func(*stylePlan) int64 { return 1 }),
		sheets:  newRecent(maxSheetBytes, func(sheet string) int64 { return int64(len(sheet)) + 200 }),
		words: newRecent(maxWordBytes, func(words []string) int64 {
			size := 200
			for _, word := range words {
				size += len(word) + 16
			}
			return int64(size)
		}),
		scripts: newRecent(maxScriptBytes, func(s *pluginScript) int64 { return int64(len(s.code)) + 200 }),
	}
}

// stylePlan is what is known of a sheet before any class name. Nobody changes it.
type stylePlan struct {
	id int64
	// madeOf are the sources that were read for it.
	madeOf    *trace
	selection *tailwind.Selection
	safelist  []string
	passive   bool
}

// styles makes plain CSS of a style sheet of the project. Sheets in which nothing
// is Tailwind's come back as they are. Mistakes in the sources are messages.
func (s *stylist) styles(ctx context.Context, p *project, name string, text []byte) ([]byte, []api.Message, error) {
	if !p.usesTailwind(name, text) {
		return text, nil, nil
	}
	w := &styling{stylist: s, project: p, name: name, text: text}
	css, err := w.compile(ctx)
	var wrong *sourceErrors
	var mistake *tailwind.Mistake
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.As(err, &wrong):
		return nil, wrong.messages, nil
	case errors.As(err, &mistake):
		return nil, []api.Message{w.place(mistake)}, nil
	case err != nil:
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "Tailwind cannot be run")
	}
	return []byte(css), nil, nil
}

// sourceErrors are mistakes that esbuild found.
type sourceErrors struct{ messages []api.Message }

func (e *sourceErrors) Error() string { return "the sources have mistakes" }

// maxFollowed bounds how many sheets are looked at to see whether one is for
// Tailwind.
const maxFollowed = 200

// usesTailwind reports whether a sheet, or one of the project that it imports, is
// for Tailwind.
func (p *project) usesTailwind(name string, text []byte) bool {
	seen := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if queue[0] != name {
			var err error
			if text, err = p.src.read(queue[0], maxModuleBytes); err != nil {
				continue
			}
		}
		if tailwind.Directive(text) >= 0 {
			return true
		}
		for _, spec := range tailwind.Imports(text) {
			found, ok := p.findSheet(spec, path.Dir(queue[0]))
			if ok && !seen[found] && len(seen) < maxFollowed {
				seen[found] = true
				queue = append(queue, found)
			}
		}
	}
	return false
}

// findSheet finds the file of the project that a style sheet in dir imports.
func (p *project) findSheet(spec, dir string) (name string, found bool) {
	var names []string
	switch {
	case strings.HasPrefix(spec, "/"):
		names = []string{strings.TrimPrefix(path.Clean(spec), "/")}
	case scheme.MatchString(spec):
		return "", false
	default:
		names = append([]string{path.Join(dir, spec)}, p.config.candidates(spec)...)
	}
	for _, candidate := range names {
		for _, ext := range []string{"", ".css"} {
			if p.src.isFile(candidate + ext) {
				return candidate + ext, true
			}
		}
	}
	return "", false
}

// styling is the compilation of one sheet.
type styling struct {
	*stylist
	project *project
	name    string
	text    []byte
	// read are the sheets of the project that it imports, for messages.
	read []string
}

func (w *styling) compile(ctx context.Context) (string, error) {
	engine, err := w.engineOf(ctx, w.project)
	if err != nil {
		return "", err
	}
	key := w.key(engine)
	plan, session, err := w.plan(ctx, engine, key)
	if err != nil {
		return "", err
	}
	defer func() { w.sessions.give(plan.id, session) }()
	var sources classSources
	if !plan.passive {
		if sources, err = w.classSources(plan.selection); err != nil {
			return "", err
		}
	}
	said := fmt.Sprintf("%d %s %s", plan.id, w.project.mode, sources.sum())
	if sheet, found := w.sheets.get(said); found {
		return sheet, nil
	}
	candidates, err := w.candidates(sources, plan.safelist)
	if err != nil {
		return "", err
	}
	return w.finish(ctx, plan, said, &session, engine, candidates)
}

// finish gives candidates to a session: the one at hand, one that waits, or a new
// one.
func (w *styling) finish(ctx context.Context, plan *stylePlan, said string, session **tailwind.Session, engine *tailwindEngine, candidates []string) (string, error) {
	if *session == nil {
		*session = w.sessions.take(plan.id, candidates)
	}
	if *session == nil {
		opened, _, err := w.open(ctx, engine)
		if err != nil {
			return "", err
		}
		*session = opened
	}
	css, err := (*session).Build(ctx, candidates)
	if err != nil {
		return "", err
	}
	css = tailwind.HoistImports(css)
	if w.project.mode == build.ModeSite {
		css = lowered(css)
	}
	w.sheets.put(said, css)
	return css, nil
}

// key changes with all that a plan is made of besides the sources that it reads.
func (w *styling) key(engine *tailwindEngine) string {
	p := w.project
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %q %q %+v %q\n", engine.key, p.packages.key, p.packages.dir, w.name, p.config.aliases, p.config.baseURLs)
	digest.Write(w.text)
	return hex.EncodeToString(digest.Sum(nil))
}

// plan returns what is known of the sheet. A plan that had to be made comes with
// the session that made it.
func (w *styling) plan(ctx context.Context, engine *tailwindEngine, key string) (*stylePlan, *tailwind.Session, error) {
	if known, found := w.plans.get(key); found && known.madeOf.holds(w.project.src) {
		return known, nil, nil
	}
	session, madeOf, err := w.open(ctx, engine)
	if err != nil {
		return nil, nil, err
	}
	automatic, none, explicit := session.Sources()
	var ignored []byte
	if madeOf.isFile(".gitignore") {
		ignored, _ = madeOf.read(".gitignore", maxModuleBytes)
	}
	madeOf.rest()
	made := &stylePlan{
		id: w.lastPlan.Add(1), madeOf: madeOf, passive: session.Passive(),
		selection: tailwind.Select(automatic, none, explicit, ignored), safelist: session.Safelist(),
	}
	w.plans.put(key, made)
	return made, session, nil
}

// open reads the sheet in a new session, and notes what else was read.
func (w *styling) open(ctx context.Context, engine *tailwindEngine) (*tailwind.Session, *trace, error) {
	traced := newTrace(w.project.src, w.name)
	own := *w.project
	own.src = traced
	imports := &styleImports{styling: w, project: &own, engine: engine, ctx: ctx, dirs: make(map[string]string)}
	sheet := imports.root(w.name, w.text)
	session, err := engine.Compile(ctx, sheet, imports)
	return session, traced, err
}

// place turns a mistake into a message about one of the project's files.
func (w *styling) place(m *tailwind.Mistake) api.Message {
	name := strings.TrimPrefix(m.Path, "/")
	if name == "" {
		name = w.name
	}
	message := api.Message{Text: "Tailwind CSS: " + m.Message, Location: &api.Location{File: name, Namespace: nsProject}}
	if strings.HasPrefix(name, "node_modules/") {
		message.Location = &api.Location{File: name, Namespace: "file"}
		return message
	}
	text, err := w.project.src.read(name, maxModuleBytes)
	switch {
	case err != nil:
	case m.Line > 0:
		return messageAt(name, text, offsetAt(text, m.Line, m.Column), message.Text)
	case loaderOf(name) == api.LoaderCSS || loaderOf(name) == api.LoaderLocalCSS:
		return w.search(m, name, text, message.Text)
	}
	return message
}

// search looks for the words that a mistake is about, in all sheets that were read.
func (w *styling) search(m *tailwind.Mistake, name string, text []byte, problem string) api.Message {
	for _, sheet := range append([]string{name}, w.read...) {
		content, err := w.project.src.read(sheet, maxModuleBytes)
		if err != nil {
			continue
		}
		for _, word := range m.Names {
			if at := tailwind.Find(content, word); at >= 0 {
				return messageAt(sheet, content, at, problem)
			}
		}
	}
	return messageAt(name, text, max(tailwind.Directive(text), 0), problem)
}

// offsetAt finds the offset of a line and a column in UTF-16 units, both from 1 on.
// Places that are not there are at the end of the line, or of the text.
func offsetAt(text []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		end := strings.IndexByte(string(text[at:]), '\n')
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

// lowered writes a sheet for the browsers that Tailwind is for. The newest of them
// need nothing of that.
func lowered(css string) string {
	result := api.Transform(css, api.TransformOptions{
		Loader: api.LoaderCSS, LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8,
		Engines: []api.Engine{{Name: api.EngineChrome, Version: "111"}, {Name: api.EngineFirefox, Version: "128"}, {Name: api.EngineSafari, Version: "16.4"}, {Name: api.EngineIOS, Version: "16.4"}},
	})
	if len(result.Errors) > 0 {
		return css
	}
	return string(result.Code)
}

// majorOf reads the major version that a version or a range begins with, 0 when
// there is none.
func majorOf(version string) int {
	digits := strings.TrimLeft(version, "^~>=v ")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		digits = digits[:end]
	}
	major, _ := strconv.Atoi(digits)
	return major
}

// styleFailure is what went wrong with Tailwind itself in one build, whose style
// sheets are made on goroutines of esbuild's.
type styleFailure struct {
	mu    sync.Mutex
	first error
}

// bind returns the stylist's method for a build that lasts as long as ctx.
func (f *styleFailure) bind(ctx context.Context, s *stylist) func(own *project, name string, text []byte) ([]byte, []api.Message) {
	return func(own *project, name string, text []byte) ([]byte, []api.Message) {
		css, messages, err := s.styles(ctx, own, name, text)
		if err == nil {
			return css, messages
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.first == nil {
			f.first = err
		}
		return nil, []api.Message{{Text: "Tailwind CSS cannot be run", Location: &api.Location{File: name, Namespace: nsProject}}}
	}
}

func (f *styleFailure) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}
