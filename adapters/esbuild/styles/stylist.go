package styles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/tailwind"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/build"
)

// Stylist compiles style sheets with Tailwind. It is safe for concurrent use.
//
// A plan is the parsed sheet with its configuration; it is valid while the files that
// were read for it stay the same. A plan and the class names of the project's sources
// give a compiled sheet. Sessions are machines that have loaded a plan's sheets and wait
// for the next class names.
type Stylist struct {
	// loading lets concurrent callers share the load of an engine (single flight).
	loading ctxsync.SingleFlight[string, *engine]
	engines *lru.Cache[string, *engine]
	plans   *lru.Cache[string, *stylePlan]
	// sheets caches compiled sheets, by plan and by content of the sources.
	sheets *lru.Cache[string, string]
	// words caches the candidates in a file, by its content.
	words    *lru.Cache[string, []string]
	scripts  *lru.Cache[string, *pluginScript]
	sessions sessionPool
	lastPlan atomic.Int64
}

// The sizes of the stylist's caches.
const (
	maxEngines     = 8
	maxPlans       = 1000
	maxSheetBytes  = 32 << 20
	maxWordBytes   = 32 << 20
	maxScriptBytes = 32 << 20
)

// New returns a stylist with empty caches.
func New() *Stylist {
	one := func(*engine) int64 { return 1 }
	return &Stylist{
		engines: lru.New[string](maxEngines, one),
		plans:   lru.New[string](maxPlans, func(*stylePlan) int64 { return 1 }),
		sheets:  lru.New[string](maxSheetBytes, func(sheet string) int64 { return int64(len(sheet)) + 200 }),
		words: lru.New[string](maxWordBytes, func(words []string) int64 {
			size := 200
			for _, word := range words {
				size += len(word) + 16
			}
			return int64(size)
		}),
		scripts: lru.New[string](maxScriptBytes, func(s *pluginScript) int64 { return int64(len(s.code)) + 200 }),
	}
}

// stylePlan holds the facts about a sheet that no class name changes. It is immutable.
type stylePlan struct {
	id int64
	// madeOf are the sources that were read for it.
	madeOf    *project.Trace
	read      []string
	selection *tailwind.Selection
	safelist  []string
	passive   bool
	// legacy means that the sheet is written for version 3; bare is tailwind.Session.Bare.
	legacy, bare bool
	// wrong says why there is no plan. It is cached for a while, so that a sheet that
	// uses up all its time does not do so in every build.
	wrong *tailwind.Mistake
	until time.Time
}

const wrongFor = time.Minute

// styles compiles a style sheet of the project to plain CSS. It returns sheets without
// Tailwind unchanged. Mistakes in the sources are messages.
func (s *Stylist) styles(ctx context.Context, p *project.Project, name string, text []byte) ([]byte, []api.Message, error) {
	if !usesTailwind(p, name, text) {
		return text, nil, nil
	}
	w := &compilation{Stylist: s, project: p, name: name, text: text}
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

// Error implements error.
func (e *sourceErrors) Error() string { return "the sources have mistakes" }

// maxFollowed bounds the sheets that are examined before one is compiled.
const maxFollowed = 200

// eachSheet calls visit for a sheet and the project's sheets that it imports, until visit
// returns false.
func eachSheet(p *project.Project, name string, text []byte, visit func(name string, text []byte) bool) {
	seen := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if queue[0] != name {
			var err error
			if text, err = p.Src.Read(queue[0], project.MaxModuleBytes); err != nil {
				continue
			}
		}
		if !visit(queue[0], text) {
			return
		}
		for _, spec := range tailwind.Imports(text) {
			found, ok := findSheet(p, spec, path.Dir(queue[0]))
			if ok && !seen[found] && len(seen) < maxFollowed {
				seen[found] = true
				queue = append(queue, found)
			}
		}
	}
}

// usesTailwind reports whether a sheet, or one of the project's that it imports, uses
// Tailwind.
func usesTailwind(p *project.Project, name string, text []byte) bool {
	found := false
	eachSheet(p, name, text, func(_ string, text []byte) bool {
		found = tailwind.Directive(text) >= 0
		return !found
	})
	return found
}

// circleOf finds a sheet that imports itself, directly or not. Tailwind would read it
// until it gives up.
func circleOf(p *project.Project, name string, text []byte) *tailwind.Mistake {
	imports := make(map[string][]string)
	eachSheet(p, name, text, func(name string, text []byte) bool {
		imports[name] = tailwind.Imports(text)
		return true
	})
	var found *tailwind.Mistake
	done := make(map[string]bool)
	var follow func(name string, above map[string]bool)
	follow = func(name string, above map[string]bool) {
		above[name] = true
		for _, spec := range imports[name] {
			next, ok := findSheet(p, spec, path.Dir(name))
			switch {
			case !ok || found != nil:
			case above[next]:
				found = &tailwind.Mistake{Path: "/" + name, Message: fmt.Sprintf("the style sheet imports itself through %q", spec), Names: []string{spec}}
			case !done[next]:
				follow(next, above)
			}
		}
		delete(above, name)
		done[name] = true
	}
	follow(name, make(map[string]bool))
	return found
}

// findSheet finds the file of the project that a style sheet in dir imports.
func findSheet(p *project.Project, spec, dir string) (name string, found bool) {
	var names []string
	switch {
	case strings.HasPrefix(spec, "/"):
		names = []string{strings.TrimPrefix(path.Clean(spec), "/")}
	case project.Scheme.MatchString(spec):
		return "", false
	default:
		names = append([]string{path.Join(dir, spec)}, p.Config.Candidates(spec)...)
	}
	for _, candidate := range names {
		for _, ext := range []string{"", ".css"} {
			if p.Src.IsFile(candidate + ext) {
				return candidate + ext, true
			}
		}
	}
	return "", false
}

// compilation is the compilation of one sheet.
type compilation struct {
	*Stylist
	project *project.Project
	name    string
	text    []byte
	// read are the project's sheets that it imports, for messages.
	read   []string
	engine *engine
	// legacy means that the sheet is written for version 3.
	legacy bool
	// session is the current session, or nil.
	session *tailwind.Session
}

func (w *compilation) compile(ctx context.Context) (css string, err error) {
	if mistake := circleOf(w.project, w.name, w.text); mistake != nil {
		return "", mistake
	}
	if w.engine, err = w.engineOf(ctx, w.project); err != nil {
		return "", err
	}
	plan, err := w.plan(ctx)
	if err != nil {
		return "", err
	}
	defer func() { w.sessions.give(plan.id, w.session) }()
	var sources classSources
	if !plan.passive {
		if sources, err = w.classSources(plan.selection); err != nil {
			return "", err
		}
	}
	said := fmt.Sprintf("%d %s %s", plan.id, w.project.Mode, sources.sum())
	if sheet, found := w.sheets.Get(said); found {
		return sheet, nil
	}
	candidates, err := w.candidates(sources, plan.safelist)
	if err != nil {
		return "", err
	}
	if css, err = w.build(ctx, plan, candidates); err != nil {
		return "", err
	}
	w.sheets.Put(said, css)
	return css, nil
}

// build compiles candidates in a session: the current one, an idle one, or a new one.
func (w *compilation) build(ctx context.Context, plan *stylePlan, candidates []string) (css string, err error) {
	if w.session == nil {
		w.session = w.sessions.take(plan.id, candidates)
	}
	if w.session == nil {
		if _, err := w.open(ctx); err != nil {
			return "", err
		}
	}
	if css, err = w.session.Build(ctx, candidates); err != nil {
		return "", err
	}
	if plan.legacy {
		css = tailwind.WithoutLayers(css, plan.bare)
	}
	css = tailwind.HoistImports(css)
	if w.project.Mode == build.ModeSite {
		css = lowered(css)
	}
	return css, nil
}

// key changes with everything that affects a plan beside the sources that it reads.
func (w *compilation) key() string {
	p := w.project
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %q %q %+v %q\n", w.engine.key, p.Packages.Key, p.Packages.Dir, w.name, p.Config.Aliases, p.Config.BaseURLs)
	digest.Write(w.text)
	return hex.EncodeToString(digest.Sum(nil))
}

// plan returns the plan of the sheet. If it has to be made, the session that made it
// becomes the current one.
func (w *compilation) plan(ctx context.Context) (*stylePlan, error) {
	key := w.key()
	if known, found := w.plans.Get(key); found && known.madeOf.Holds(w.project.Src) {
		w.read = known.read
		switch {
		case known.wrong == nil:
			return known, nil
		case time.Now().Before(known.until):
			return nil, known.wrong
		}
	}
	w.read = nil
	madeOf, err := w.open(ctx)
	defer madeOf.Rest()
	var wrong *tailwind.Mistake
	if errors.As(err, &wrong) && ctx.Err() == nil {
		w.plans.Put(key, &stylePlan{madeOf: madeOf, read: w.read, wrong: wrong, until: time.Now().Add(wrongFor)})
	}
	if err != nil {
		return nil, err
	}
	automatic, none, explicit := w.session.Sources()
	var ignored []byte
	if madeOf.IsFile(".gitignore") {
		ignored, _ = madeOf.Read(".gitignore", project.MaxModuleBytes)
	}
	made := &stylePlan{
		id: w.lastPlan.Add(1), madeOf: madeOf, read: w.read, passive: w.session.Passive(), legacy: w.legacy, bare: w.session.Bare(),
		selection: tailwind.Select(automatic, none, explicit, ignored), safelist: w.session.Safelist(),
	}
	w.plans.Put(key, made)
	return made, nil
}

// open loads the sheet into a new session, and returns what else was read.
func (w *compilation) open(ctx context.Context) (*project.Trace, error) {
	traced := project.NewTrace(w.project.Src, w.name)
	own := *w.project
	own.Src = traced
	imports := &styleImports{compilation: w, project: &own, ctx: ctx, dirs: make(map[string]string)}
	session, err := w.engine.Compile(ctx, imports.root(w.name, w.text), imports)
	w.session = session
	return traced, err
}

// lowered rewrites a sheet for the oldest browsers that Tailwind supports.
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

// majorOf returns the major version with which a version or a range begins, 0 if there is
// none.
func majorOf(version string) int {
	digits := strings.TrimLeft(version, "^~>=v ")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		digits = digits[:end]
	}
	major, _ := strconv.Atoi(digits)
	return major
}
