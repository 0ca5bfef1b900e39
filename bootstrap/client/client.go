package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/client/logins"
	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// Program is what a command line client runs in.
type Program struct {
	In        io.Reader
	Out, Errs io.Writer
	Env       func(name string) string
	// Version is this program's. Others are the program's commands that are not the client's,
	// for completion.
	Version string
	Others  []string
}

// action carries out a command with its arguments.
type action func(ctx context.Context, in *invocation, args []string) error

// command is one command of the client.
type command struct {
	name, takes, about string
	// most is how many arguments there may be.
	most int
	// define declares the command's flags and returns what reads them.
	define func(*flag.FlagSet) action
}

// commands are all of them, in the order of the help.
func commands() []command {
	return []command{
		{"login", "[URL]", "sign in to an installation, with an API token or e-mail and password", 1, login},
		{"logout", "[URL]", "end the session and forget its credentials", 1, logout},
		{"whoami", "", "show who is signed in where", 0, whoami},
		{"projects", "", "list projects", 0, listProjects},
		{"create", "NAME", "create a project", 1, createProject},
		{"open", "[PROJECT]", "print the project's address in the studio, and open it in a browser", 1, openProject},
		{"pull", "[PROJECT [FOLDER]]", "bring a project's files into a folder, or a folder up to date", 2, pull},
		{"push", "", "make the folder's changes a version of the project", 0, push},
		{"dev", "[PROJECT [FOLDER]]", "keep a folder and the project alike while you edit in your own editor", 2, dev},
		{"send", "TEXT", "tell the agent something, and show what it does (- reads the text from stdin)", 1, send},
		{"logs", "[PROJECT]", "follow what a project's preview and its application log", 1, logs},
		{"publish", "[PROJECT]", "publish a project", 1, publish},
		{"env", "list|set KEY|unset KEY", "a project's environment values, which can be set but not read", 2, environment},
		{"completion", "bash|zsh|fish", "print a script that completes commands in a shell", 1, completion},
		{completeCommand, "", "", 1 << 10, complete},
	}
}

// Usage is the part of the help about these commands.
func Usage() string {
	var text strings.Builder
	for _, c := range commands() {
		if c.about != "" {
			fmt.Fprintf(&text, "  %-30s %s\n", c.name+" "+c.takes, c.about)
		}
	}
	return text.String() + `
PROJECT is a slug, a name or an id; without it, the project of the folder. Each of these commands has
--json and --help, and acts on the installation of the folder, of --server or ATELIER_URL, or else the
one of the last login. ATELIER_TOKEN is an API token for scripts, in the place of a login.
` + exitCodes
}

// Has reports whether the client has a command.
func Has(name string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == name })
}

// invocation is one call of the program.
type invocation struct {
	Program
	input *bufio.Reader
	files *logins.File

	json    bool
	server  string
	project string
	folder  string
}

// Run carries out a command line that begins with a command of the client. Its error is an
// *Exit.
func Run(ctx context.Context, p Program, args []string) error {
	in := &invocation{Program: p, input: bufio.NewReader(p.In), files: logins.At(configFolder(p.Env))}
	err := in.run(ctx, args)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Canceled
	}
	told := faultOf(err)
	if told.Exit == 0 {
		return nil
	}
	told.tell(p.Errs, in.json)
	return &Exit{told.Exit}
}

// configFolder is where programs keep their configuration.
func configFolder(env func(string) string) string {
	if folder := env("XDG_CONFIG_HOME"); filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(env("HOME"), ".config")
}

func (in *invocation) run(ctx context.Context, args []string) error {
	at := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	found := commands()[at]
	flags := flag.NewFlagSet("atelier "+found.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	in.common(flags)
	do := found.define(flags)
	if found.name == completeCommand { // which completes flags of others
		return do(ctx, in, args[1:])
	}
	rest, err := parse(flags, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		found.help(in.Out, flags)
		return err
	}
	if err != nil {
		return wrongUse("%v; see: atelier %s --help", err, found.name)
	}
	if len(rest) > found.most {
		return wrongUse("%s takes no argument %q; see: atelier %s --help", found.name, rest[found.most], found.name)
	}
	return do(ctx, in, rest)
}

// common declares the flags that all commands have.
func (in *invocation) common(flags *flag.FlagSet) {
	flags.BoolVar(&in.json, "json", false, "print JSON: one value, or one a line of what goes on")
	flags.StringVar(&in.server, "server", "", "the `URL` of the installation")
	flags.StringVar(&in.project, "p", "", "the `project`: a slug, a name or an id")
	flags.StringVar(&in.folder, "C", ".", "act as in this `folder`")
}

// parse parses flags that may stand between the arguments, and returns those. What comes after
// -- is an argument.
func parse(flags *flag.FlagSet, args []string) ([]string, error) {
	var after []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, after = args[:at], args[at+1:]
	}
	var found []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return append(found, after...), nil
		}
		found, args = append(found, flags.Arg(0)), flags.Args()[1:]
	}
}

func (c command) help(to io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(to, "Usage: atelier %s [FLAGS] %s\n\n%s.\n\n", c.name, c.takes, strings.ToUpper(c.about[:1])+c.about[1:])
	flags.SetOutput(to)
	flags.PrintDefaults()
	fmt.Fprintf(to, "\n%s", exitCodes)
}

// print writes a result: the value as JSON, or what text writes for people.
func (in *invocation) print(value any, text func(io.Writer)) error {
	if !in.json {
		text(in.Out)
		return nil
	}
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(in.Out, "%s\n", line)
	return err
}

// note tells people something beside the result. Scripts that read JSON are not told.
func (in *invocation) note(format string, arguments ...any) {
	if !in.json {
		fmt.Fprintf(in.Errs, format+"\n", arguments...)
	}
}

// clean removes what would steer a terminal from a text that others wrote.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

// isTerminal reports whether a stream of this program is a terminal.
func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	if !is {
		return false
	}
	return hasTerminal(file)
}

// client returns the client of the installation that the command line means.
func (in *invocation) client() (*remote.Client, error) {
	held, err := in.files.Read()
	if err != nil {
		return nil, err
	}
	token := in.Env("ATELIER_TOKEN")
	if token != "" && in.server == "" {
		// The folder may come from somebody else: it does not say where the token goes.
		if in.server = in.Env("ATELIER_URL"); in.server == "" {
			return nil, wrongUse("ATELIER_TOKEN needs ATELIER_URL or --server, the installation that it is for")
		}
	}
	base, err := in.base(held)
	if err != nil {
		return nil, err
	}
	if token != "" {
		return remote.New(base, in.Version, remote.Credential{Token: token}, nil), nil
	}
	login, known := held.Installations[base]
	if !known {
		return nil, &fault{Code: "unauthenticated", Message: "you are not signed in to " + base, Next: "atelier login " + base, Exit: exitSignIn}
	}
	return remote.New(base, in.Version, login.Credential, in.renewal(base)), nil
}

// base is the address of the installation that the command line means.
func (in *invocation) base(held logins.Logins) (string, error) {
	text := in.server
	if text == "" {
		text = in.checkoutBase()
	}
	if text == "" {
		text = in.Env("ATELIER_URL")
	}
	if text == "" {
		text = held.Current
	}
	if text == "" {
		return "", &fault{Code: "unauthenticated", Message: "you are signed in nowhere", Next: "atelier login URL", Exit: exitSignIn}
	}
	base, err := remote.ParseBase(text, true)
	if err != nil {
		return "", wrongUse("%v", err)
	}
	if _, err := remote.ParseBase(base, held.Installations[base].PlainHTTP); err != nil {
		return "", wrongUse("%v", err)
	}
	return base, nil
}

// renewal keeps renewed sessions of an installation in the file of logins.
func (in *invocation) renewal(base string) remote.Renewal {
	return func(_ context.Context, stale remote.Credential, exchange func(remote.Credential) (remote.Credential, error)) (remote.Credential, error) {
		var kept remote.Credential
		err := in.files.Change(func(held *logins.Logins) error {
			login, known := held.Installations[base]
			if kept = login.Credential; !known || kept.Refresh != stale.Refresh {
				return nil // signed out meanwhile, or renewed by another process
			}
			renewed, err := exchange(kept)
			if err != nil {
				return err
			}
			kept, login.Credential = renewed, renewed
			held.Installations[base] = login
			return nil
		})
		return kept, err
	}
}
