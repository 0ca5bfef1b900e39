package client

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// maxValueBytes bounds an environment value that is read from the input.
const maxValueBytes = 1 << 20

// environment lists the names of environment values, sets and unsets them. Nothing reads them.
func environment(*flag.FlagSet) action {
	return func(ctx context.Context, in *invocation, args []string) error {
		verb, key := "list", ""
		if len(args) > 0 {
			verb = args[0]
		}
		if len(args) > 1 {
			key = args[1]
		}
		switch {
		case strings.Contains(key, "="):
			return wrongUse("a value on the command line can be read by others on this machine: atelier env set KEY asks for it, or reads it from stdin")
		case verb != "list" && verb != "set" && verb != "unset" || (verb == "list") != (key == ""):
			return wrongUse("use: atelier env list, atelier env set KEY, or atelier env unset KEY")
		}
		client, found, err := in.theProject(ctx, nil)
		if err != nil {
			return err
		}
		path := "/projects/" + found.ID + "/env"
		switch verb {
		case "set":
			return setVariable(ctx, in, client, path, key)
		case "unset":
			if _, err := client.Call(ctx, http.MethodDelete, path+"/"+url.PathEscape(key), nil); err != nil {
				return err
			}
			return in.print(map[string]string{"unset": key}, func(io.Writer) {})
		}
		var listed struct {
			Items []struct {
				Key       string `json:"key"`
				UpdatedAt string `json:"updatedAt"`
			} `json:"items"`
		}
		if err := client.Get(ctx, path, &listed); err != nil {
			return err
		}
		return in.print(listed, func(to io.Writer) {
			for _, item := range listed.Items {
				fmt.Fprintln(to, item.Key)
			}
		})
	}
}

// setVariable reads the value from the terminal without echo, or else all of stdin without the
// line break at its end.
func setVariable(ctx context.Context, in *invocation, client *remote.Client, path, key string) error {
	var value string
	var err error
	if isTerminal(in.In) {
		value, err = in.askSecret("Value of " + key + ": ")
	} else {
		var text []byte
		text, err = io.ReadAll(io.LimitReader(in.input, maxValueBytes))
		value = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	}
	if err == nil && value == "" {
		err = wrongUse("the value is empty: atelier env unset %s removes it", key)
	}
	if err != nil {
		return err
	}
	if _, err := client.Call(ctx, http.MethodPut, path+"/"+url.PathEscape(key), map[string]string{"value": value}); err != nil {
		return err
	}
	return in.print(map[string]string{"set": key}, func(io.Writer) {})
}
