package client

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

// completeCommand prints how a command line could go on. The scripts of completion call it
// with the words up to the cursor.
const completeCommand = "__complete"

// completeTime bounds how long a person waits for the names of projects.
const completeTime = 3 * time.Second

// completion prints a script for a shell, which belongs into its startup file:
// source <(atelier completion bash).
func completion(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, args []string) error {
		scripts := map[string]string{
			"bash": `_atelier() {
  local IFS=$'\n'
  COMPREPLY=($(atelier __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _atelier atelier
`,
			"zsh": `#compdef atelier
_atelier() {
  local -a found
  found=("${(@f)$(atelier __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _atelier atelier
`,
			"fish": `complete -c atelier -f -a '(atelier __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
		}
		script, known := scripts[strings.Join(args, "")]
		if !known {
			return wrongUse("use: atelier completion bash, zsh or fish")
		}
		_, err := fmt.Fprint(in.Out, script)
		return err
	}
}

// complete prints the words that could follow, one a line.
func complete(*flag.FlagSet) action {
	return func(ctx context.Context, in *invocation, args []string) error {
		if len(args) == 0 {
			args = []string{""}
		}
		last := args[len(args)-1]
		for _, word := range in.words(ctx, args) {
			if strings.HasPrefix(word, last) {
				fmt.Fprintln(in.Out, word)
			}
		}
		return nil
	}
}

// words are candidates for the end of args.
func (in *invocation) words(ctx context.Context, args []string) []string {
	if len(args) == 1 {
		words := slices.Clone(in.Others)
		for _, c := range commands() {
			if c.about != "" {
				words = append(words, c.name)
			}
		}
		slices.Sort(words)
		return words
	}
	at := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	if at < 0 {
		return nil
	}
	found := commands()[at]
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	in.common(flags)
	found.define(flags)
	switch {
	case strings.HasPrefix(args[len(args)-1], "-"):
		var words []string
		flags.VisitAll(func(f *flag.Flag) {
			if len(f.Name) == 1 {
				words = append(words, "-"+f.Name)
			} else {
				words = append(words, "--"+f.Name)
			}
		})
		return words
	case args[len(args)-2] == "-p" || strings.HasPrefix(found.takes, "[PROJECT"):
		return projectWords(ctx, in)
	case found.name == "completion":
		return []string{"bash", "fish", "zsh"}
	case found.name == "env" && len(args) == 2:
		return []string{"list", "set", "unset"}
	}
	return nil
}

// projectWords are the slugs of the projects, none without a quick answer.
func projectWords(ctx context.Context, in *invocation) []string {
	ctx, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	client, err := in.client()
	if err != nil {
		return nil
	}
	var words []string
	_ = eachProject(ctx, client, func(one project, _ json.RawMessage) bool {
		words = append(words, one.Slug)
		return true
	})
	return words
}
