package viteconfig

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/jsmachine"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/build"
)

// Reader reads configurations, and caches what they say as long as their sources stay. It is safe for
// concurrent use.
type Reader struct {
	limits jsmachine.Limits
	known  *lru.Cache[string, *answer]
}

type answer struct {
	config build.ViteConfig
	madeOf *project.Trace
}

const maxKnownBytes = 4 << 20

// DefaultLimits allow a hundred times what a configuration needs.
func DefaultLimits() jsmachine.Limits {
	return jsmachine.Limits{Memory: 64 << 20, Time: 10 * time.Second}
}

// New returns a reader with an empty cache, whose machines have these limits.
func New(limits jsmachine.Limits) *Reader {
	return &Reader{
		limits: limits,
		known:  lru.New[string](maxKnownBytes, func(a *answer) int64 { return a.madeOf.Size() + 4000 }),
	}
}

// configNames and postcssNames are the files in which a project configures Vite and PostCSS; the first
// that exists counts.
var (
	configNames  = []string{"vite.config.js", "vite.config.mjs", "vite.config.ts", "vite.config.cjs", "vite.config.mts", "vite.config.cts"}
	postcssNames = []string{
		".postcssrc", ".postcssrc.json", ".postcssrc.yaml", ".postcssrc.yml", ".postcssrc.ts", ".postcssrc.cts", ".postcssrc.mts", ".postcssrc.js", ".postcssrc.cjs", ".postcssrc.mjs",
		"postcss.config.ts", "postcss.config.cts", "postcss.config.mts", "postcss.config.js", "postcss.config.cjs", "postcss.config.mjs",
	}
)

func firstOf(src *project.Sources, names []string) string {
	if at := slices.IndexFunc(names, src.IsFile); at >= 0 {
		return names[at]
	}
	return ""
}

// Read evaluates the configurations of a project whose pages may know env. A project without any has
// the zero value. An error means that ctx ended or that the machine could not work.
func (r *Reader) Read(ctx context.Context, src *project.Sources, env map[string]string) (build.ViteConfig, error) {
	name, postcss := firstOf(src, configNames), firstOf(src, postcssNames)
	if about := readManifest(src); about.PostCSS != nil {
		postcss = packageFile
	}
	if name == "" && postcss == "" {
		return build.ViteConfig{}, nil
	}
	key := keyOf(name, postcss, env)
	if known, found := r.known.Get(key); found && known.madeOf.Holds(src) {
		return known.config, nil
	}
	traced := project.NewTrace(src, "")
	defer traced.Rest()
	e := &evaluation{ctx: ctx, src: traced, name: name, postcss: postcss, env: env, limits: r.limits}
	config, err := e.config()
	if err == nil && src.Broken() == nil {
		r.known.Put(key, &answer{config, traced})
	}
	return config, err
}

func keyOf(name, postcss string, env map[string]string) string {
	text, err := json.Marshal([]any{name, postcss, env})
	if err != nil {
		panic(err) // texts always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// evaluation reads one configuration.
type evaluation struct {
	ctx context.Context
	src project.Tree
	// name and postcss are the files, "" if there is none.
	name    string
	postcss string
	env     map[string]string
	limits  jsmachine.Limits
}

func (e *evaluation) config() (build.ViteConfig, error) {
	script, messages, err := e.bundle()
	if err != nil {
		return build.ViteConfig{}, err
	}
	if config, failed := e.refused(messages); failed {
		return config, nil
	}
	said, err := e.run(script)
	switch {
	case e.ctx.Err() != nil:
		return build.ViteConfig{}, e.ctx.Err()
	case err != nil:
		return build.ViteConfig{Unsupported: cmp.Or(said.Name, e.name, e.postcss) + " cannot be read here: " + err.Error()}, nil
	case said.Unsupported != "":
		return build.ViteConfig{Unsupported: said.Name + " " + said.Unsupported}, nil
	}
	for _, settings := range []*settings{&said.Preview, &said.Site} {
		if problem := settings.problem(); problem != "" {
			return build.ViteConfig{Unsupported: e.name + " " + problem}, nil
		}
	}
	return build.ViteConfig{Preview: said.Preview.port(), Site: said.Site.port()}, nil
}

// run evaluates the bundled configuration and reads what it exports.
func (e *evaluation) run(script string) (found summary, err error) {
	machine, err := jsmachine.New(e.limits)
	if err != nil {
		return found, err
	}
	defer machine.Close()
	about := readManifest(e.src)
	input, err := json.Marshal(map[string]any{
		"env": e.environment(), "packages": about.packages(), "name": e.name, "postcss": e.postcss, "styles": about.PostCSS,
	})
	if err != nil {
		return found, err
	}
	var text string
	err = machine.During(e.ctx, func() error {
		if err := machine.VM.RegisterHostFunc("hostRead", e.hostRead); err != nil {
			return err
		}
		for _, script := range []string{"globalThis.viteInput = " + string(input), worldScript, readScript, script} {
			if err := machine.Eval(script); err != nil {
				return err
			}
		}
		if _, err := machine.VM.ExecutePendingJobs(); err != nil {
			return err
		}
		text, err = machine.Call("viteResult")
		return err
	})
	if err != nil {
		return found, err
	}
	if text == "" {
		return found, fmt.Errorf("it waits forever")
	}
	if len(text) > maxSettings {
		return found, fmt.Errorf("it sets more than %d KB", maxSettings>>10)
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return found, err
	}
	if found.Failure != "" {
		return found, errors.New(machine.Plain(found.Failure))
	}
	return found, nil
}

// The scripts that run before a configuration.
var (
	//go:embed world.js
	worldScript string
	//go:embed read.js
	readScript string
)

const (
	// maxSettings bounds what a configuration may set, in bytes.
	maxSettings = 256 << 10
	// maxRead bounds a file that a configuration reads.
	maxRead = 1 << 20
)

// hostRead gives a configuration a file of the project, null if there is none.
func (e *evaluation) hostRead(arguments []any) (any, error) {
	if len(arguments) == 0 {
		return nil, nil
	}
	name, _ := arguments[0].(string)
	if !e.src.IsFile(name) {
		return nil, nil
	}
	text, err := e.src.Read(name, maxRead)
	if err != nil {
		return nil, nil //nolint:nilerr // a configuration is told that there is no such file
	}
	return string(text), nil
}

// environment is what loadEnv returns, by mode: the project's own files, and what pages may know.
func (e *evaluation) environment() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, mode := range []string{"", project.ModeNames[build.ModePreview], project.ModeNames[build.ModeSite]} {
		all[mode] = project.DotEnv(e.src, "", mode)
		for key, value := range e.env {
			all[mode][key] = value
		}
	}
	return all
}

const packageFile = "package.json"

// manifest is the part of package.json that configurations depend on.
type manifest struct {
	Dependencies, DevDependencies map[string]string
	PostCSS                       json.RawMessage
}

func readManifest(src project.Tree) manifest {
	var about manifest
	if !src.IsFile(packageFile) {
		return about
	}
	text, err := src.Read(packageFile, project.MaxModuleBytes)
	if err != nil || json.Unmarshal(core.WithoutMark(text), &about) != nil {
		return manifest{}
	}
	return about
}

// packages are the names of the dependencies.
func (m manifest) packages() []string {
	return slices.AppendSeq(slices.AppendSeq([]string{}, maps.Keys(m.Dependencies)), maps.Keys(m.DevDependencies))
}

// summary is the answer of read.js.
type summary struct {
	// Name is the configuration that is Unsupported or has a Failure.
	Name        string
	Unsupported string
	// Failure is what the configuration has thrown.
	Failure       string
	Preview, Site settings
}

type settings struct {
	Aliases []struct {
		Find          string
		Pattern       bool
		Path, Package string
	}
	Define      map[string]string
	EnvPrefixes []string
	EnvDir      string
	JSXSource   string
}

var packageShape = regexp.MustCompile(`^(?:@[\w.-]+/)?[\w.-]+(?:/[\w./-]+)?$`)

// problem says what of the settings the builder cannot follow, "" if it can follow all.
func (s *settings) problem() string {
	for name, value := range s.Define {
		tried := api.Transform("", api.TransformOptions{Define: map[string]string{name: value}, LogLevel: api.LogLevelSilent})
		if len(tried.Errors) > 0 {
			return "sets define." + name + ": " + tried.Errors[0].Text
		}
	}
	for _, alias := range s.Aliases {
		if _, err := regexp.Compile(alias.Find); alias.Pattern && err != nil {
			return "sets resolve.alias with the pattern " + alias.Find
		}
		if outside := path.Clean("/"+alias.Path) == "/"; alias.Package == "" && outside && !alias.Pattern && alias.Path != "" {
			return "sets resolve.alias to a place outside the project"
		}
		if alias.Package != "" && !packageShape.MatchString(alias.Package) {
			return "sets resolve.alias to " + alias.Package
		}
	}
	if s.JSXSource != "" && !packageShape.MatchString(s.JSXSource) {
		return "sets jsxImportSource to " + s.JSXSource
	}
	return ""
}

func (s *settings) port() build.ViteSettings {
	made := build.ViteSettings{Define: s.Define, EnvPrefixes: s.EnvPrefixes, EnvDir: s.EnvDir, JSXSource: s.JSXSource}
	for _, alias := range s.Aliases {
		made.Aliases = append(made.Aliases, build.ViteAlias(alias))
	}
	return made
}
