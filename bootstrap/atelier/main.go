// Command atelier is the whole product in one binary.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/client"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// version and commit are set when the binary is linked.
var (
	version = "development"
	commit  = "unknown"
)

// licences is what `make notices` wrote.
//
//go:embed notices.txt
var licences string

const usage = `Atelier: build web applications together with an AI agent, on your own machine.

Usage: atelier [--env-file FILE] COMMAND

To run an installation:

  serve                 the API, the studio, previews, published sites and rooms in one process
  collab                only the rooms, as a process of its own beside serve (needs NATS_URL)
  migrate               bring the database to the current schema and stop
  doctor                check settings, database, files and AI provider
  self-check            after an update: wait until the service is ready, with the schema of this version
  backup [FILE]         write everything into one archive, a file or in BACKUP_TARGET, also while serving
  restore FILE          unpack such an archive, or "latest" of BACKUP_TARGET, into an empty DATA_DIR,
                        while nothing serves
  reconcile [PROJECT]   rebuild the file cache from disk and repair repositories
  eval [FLAGS]          give the configured AI provider tasks and print how it did; -h lists the flags
  version               print version, commit and Go version
  licenses              print the licences of everything in this program that others wrote

Settings are environment variables, also read from FILE; bootstrap/atelier/README.md lists them.

To work with any installation:

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal, a second one ends the process immediately.
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if exit := (*client.Exit)(nil); errors.As(err, &exit) {
		os.Exit(exit.Code)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "atelier:", oneLine(err))
		os.Exit(1)
	}
}

// oneLine returns an error's text without the line breaks of drivers.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// command is one command with its inputs.
type command struct {
	settings settings.Settings
	log      *slog.Logger
	out      io.Writer
}

// run carries out one command line.
func run(ctx context.Context, args []string, env func(string) string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("atelier", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() {}
	showVersion := flags.Bool("version", false, "print version, commit and Go version")
	envFile := flags.String("env-file", "", "a file with settings, one NAME=value per line")
	err := flags.Parse(args)
	name, rest := flags.Arg(0), flags.Args()
	switch {
	case err != nil && !errors.Is(err, flag.ErrHelp):
		return err
	case err == nil && (*showVersion || name == "version"):
		return printVersion(out)
	case err == nil && name == "licenses":
		_, err := io.WriteString(out, licences)
		return err
	case err == nil && client.Has(name):
		return client.Run(ctx, client.Program{In: os.Stdin, Out: out, Errs: errs, Env: env, Version: version, Others: others()}, rest)
	case err != nil || asksForHelp(rest):
		_, err := fmt.Fprint(out, usage+client.Usage())
		return err
	}
	// The service calls these on its own program; they are not for people.
	if ran, err := local.Helper(rest); ran {
		return err
	}
	do, known := commands()[name]
	if !known {
		return fmt.Errorf("there is no command %q; try: atelier --help", name)
	}
	if most := map[string]int{"reconcile": 1, "backup": 1, "restore": 1, "eval": math.MaxInt}[name]; len(rest)-1 > most {
		return fmt.Errorf("%s takes no argument %q", name, rest[most+1])
	}
	c, err := prepare(env, *envFile, out, errs)
	if err == nil && name != "restore" { // which brings the secrets
		err = datadir.FillSecrets(&c.settings)
	}
	if err != nil {
		return err
	}
	return do(c, ctx, rest[1:])
}

// commands are those that need the settings.
func commands() map[string]func(*command, context.Context, []string) error {
	return map[string]func(*command, context.Context, []string) error{
		"serve": (*command).serve, "collab": (*command).collab, "migrate": (*command).migrate, "doctor": (*command).doctor, "self-check": (*command).selfCheck, "reconcile": (*command).reconcile,
		"backup": (*command).backup, "restore": (*command).restore, "eval": (*command).eval,
	}
}

// others are the commands that are not the client's.
func others() []string {
	return append(slices.Collect(maps.Keys(commands())), "version", "licenses", "help")
}

// asksForHelp reports whether the arguments after the flags ask for help. eval has its
// own flags and help.
func asksForHelp(args []string) bool {
	if len(args) == 0 || args[0] == "help" {
		return true
	}
	return len(args) == 2 && args[0] != "eval" && slices.Contains([]string{"-h", "-help", "--help"}, args[1])
}

// prepare reads the settings and opens the log.
func prepare(env func(string) string, envFile string, out, errs io.Writer) (*command, error) {
	if envFile != "" {
		values, err := settings.ReadEnvFile(envFile)
		if err != nil {
			return nil, err
		}
		for _, name := range values.Unknown() {
			fmt.Fprintf(errs, "atelier: %s sets %s, which is not a setting of this version: bootstrap/atelier/README.md lists the settings\n", envFile, name)
		}
		env = values.Or(env)
	}
	conf, err := settings.Read(env)
	if err != nil {
		return nil, err
	}
	conf.Version = version
	if conf.Program, err = os.Executable(); err != nil {
		return nil, err
	}
	return &command{settings: conf, log: bootstrap.Logger(conf, errs), out: out}, nil
}
