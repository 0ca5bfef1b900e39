package builds

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Tools is what a project's own tools are asked for, as lines of shell.
type Tools struct {
	// Packages names what Install installs: equal names, equal packages.
	Packages string
	Install  string
	// Serve is the development server, Build what makes a site; "" where the project
	// has no such script.
	Serve string
	Build string
	// Outputs are where Build may leave the site.
	Outputs []string
	// Env are the environment values that they get.
	Env map[string]string
}

// ServesLike reports whether a server that was started for one plan is the one that
// the other asks for.
func (t Tools) ServesLike(other Tools) bool {
	return t.Packages == other.Packages && t.Serve == other.Serve && maps.Equal(t.Env, other.Env)
}

// DevPort is the port that development servers are asked to use. Those that use
// another one are found all the same.
const DevPort = 5173

// installLine installs what package.json asks for, also for development, and leaves
// that and the lock file as they are. What packages would run to install themselves
// does not run. Locks of other package managers than npm are not read.
const installLine = "npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=warn"

func toolsOf(asked manifest, key string) Tools {
	tools := Tools{Packages: key, Install: installLine, Outputs: outputs()}
	uses := func(name string) bool { return slices.Contains(asked.packages, name) }
	dev, build := "dev", "build"
	if asked.scripts[dev] == "" {
		dev = "start"
	}
	serve := asked.scripts[dev]
	if serve == "" && uses("vite") {
		serve = "vite"
	}
	if serve != "" {
		tools.Serve = withHooks(asked.scripts, dev, onDevPort(serve))
	}
	tools.Build = withHooks(asked.scripts, build, asked.scripts[build])
	if asked.scripts[build] == "" && uses("vite") {
		tools.Build = "vite build"
	}
	return tools
}

// outputs are the directories in which the usual tools leave a site, the more
// telling first: build may hold a server, with the site below it.
func outputs() []string {
	return []string{"dist", "build", "out", ".output/public", "build/client", "dist/client", "dist/browser", "public/build", ".vitepress/dist", "docs/.vitepress/dist"}
}

// withHooks adds the scripts that npm runs before and after one.
func withHooks(scripts map[string]string, name, line string) string {
	if line == "" {
		return ""
	}
	parts := slices.DeleteFunc([]string{scripts["pre"+name], line, scripts["post"+name]}, func(part string) bool { return part == "" })
	return strings.Join(parts, " && ")
}

// lastCommand is where the last command of a script begins: the server, as a rule.
var lastCommand = regexp.MustCompile(`(?:&&|\|\||;|\|)\s*`)

// onDevPort adds the options by which a known server takes DevPort on the address
// that it is reached at. What a script says itself stays.
func onDevPort(script string) string {
	last := script
	if at := lastCommand.FindAllStringIndex(script, -1); at != nil {
		last = script[at[len(at)-1][1]:]
	}
	var options []string
	for _, option := range serverOptions(programOf(last)) {
		flag, _, _ := strings.Cut(option, " ")
		if !strings.Contains(last, flag) {
			options = append(options, option)
		}
	}
	return strings.Join(append([]string{script}, options...), " ")
}

// programOf returns the program of a command, without what stands in front of it.
func programOf(command string) string {
	for word := range strings.FieldsSeq(command) {
		if word == "npx" || word == "cross-env" || word == "exec" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		return word[strings.LastIndexByte(word, '/')+1:]
	}
	return ""
}

func serverOptions(program string) []string {
	switch program {
	case "vite":
		return []string{"--port 5173", "--host 127.0.0.1", "--strictPort"}
	case "astro", "nuxt", "nuxi", "react-router", "remix", "ng", "vitepress", "rsbuild", "webpack", "vue-cli-service", "vinxi", "solid-start", "parcel", "gatsby":
		return []string{"--port 5173", "--host 127.0.0.1"}
	case "next":
		return []string{"-p 5173", "-H 127.0.0.1"}
	}
	return nil
}

// serverEnv tells the other servers the same.
func serverEnv(public map[string]string) map[string]string {
	env := map[string]string{"PORT": "5173", "HOST": "127.0.0.1", "HOSTNAME": "127.0.0.1"}
	maps.Copy(env, public)
	return env
}
