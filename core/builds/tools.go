package builds

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Tools are the commands of a project's own tools, as lines of shell.
type Tools struct {
	// Packages is a key of the packages to install: equal keys mean equal packages.
	Packages string
	Install  string
	// Serve starts the development server, Build makes a site; "" if the project has
	// no such script.
	Serve string
	Build string
	// Outputs are the directories in which Build may leave the site.
	Outputs []string
	// Env has the environment values for the commands.
	Env map[string]string
}

// ServesLike reports whether a server that was started with t also serves other.
func (t Tools) ServesLike(other Tools) bool {
	return t.Packages == other.Packages && t.Serve == other.Serve && maps.Equal(t.Env, other.Env)
}

// DevPort is the port that development servers are told to use. Servers that use
// another one are found anyway.
const DevPort = 5173

// installLine installs all dependencies, including those for development, without
// changing package.json or the lock file. Install scripts of packages do not run.
// Lock files of package managers other than npm are not read.
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

// outputs are the directories in which common tools leave a site, the most specific
// first: build may hold a server, with the site below it.
func outputs() []string {
	return []string{"dist", "dist/public", "build", "out", ".output/public", "build/client", "dist/client", "dist/browser", "public/build", ".vitepress/dist", "docs/.vitepress/dist"}
}

// withHooks adds the scripts that npm runs before and after one.
func withHooks(scripts map[string]string, name, line string) string {
	if line == "" {
		return ""
	}
	parts := slices.DeleteFunc([]string{scripts["pre"+name], line, scripts["post"+name]}, func(part string) bool { return part == "" })
	return strings.Join(parts, " && ")
}

// lastCommand splits a script into commands; the last one usually is the server.
var lastCommand = regexp.MustCompile(`(?:&&|\|\||;|\|)\s*`)

// onDevPort adds the options that make a known server listen on DevPort at the
// reachable address. Options in the script itself stay.
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

// programOf returns the program of a command, without prefixes.
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

// serverEnv sets port and address for other servers by environment variables. Create React
// App would refuse the preview's host.
func serverEnv(public map[string]string) map[string]string {
	env := map[string]string{"PORT": "5173", "HOST": "127.0.0.1", "HOSTNAME": "127.0.0.1", "DANGEROUSLY_DISABLE_HOST_CHECK": "true"}
	maps.Copy(env, public)
	return env
}
