package cluster

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

func TestTheExamplesSettingsAreGood(t *testing.T) {
	values := exampleSettings(t)
	s, err := settings.Read(values.Or(func(string) string { return "" }))
	if err != nil {
		t.Fatal(err)
	}
	if bool(s.Exclusive()) || s.CollabEmbedded || s.AutoMigrate {
		t.Errorf("got %+v, want processes beside others, without rooms, that leave the schema alone", s)
	}
}

// exampleSettings are the example's with the secrets that everybody has to make.
func exampleSettings(t *testing.T) settings.EnvFile {
	t.Helper()
	values, err := settings.ReadEnvFile("../../examples/cluster/atelier.env")
	if err != nil {
		t.Fatal(err)
	}
	values["JWT_SECRET"] = strings.Repeat("s", 32)
	values["ENCRYPTION_KEY"] = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	return values
}

func TestTheExamplesRunCommandsThatThereAre(t *testing.T) {
	help, err := exec.Command(process.Build(t)).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	for unit, command := range map[string]string{"atelier-serve.service": "serve", "atelier-collab.service": "collab", "../atelier.service": "serve"} {
		text, err := os.ReadFile(filepath.Join("../../examples/cluster", unit))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nExecStart=/usr/local/bin/atelier "+command+"\n") || !strings.Contains(string(help), "\n  "+command+" ") {
			t.Errorf("%s: got another command than %s, or none of the program's", unit, command)
		}
	}
}

// TestTheComposeFileFitsTheOtherExamples compares its services with the program's
// commands and settings, and the proxy's configuration with the services.
func TestTheComposeFileFitsTheOtherExamples(t *testing.T) {
	type service struct {
		Image, Command string
		Environment    map[string]string
	}
	var compose struct{ Services map[string]service }
	text, err := os.ReadFile("../../examples/cluster/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	common := exampleSettings(t)
	commands := map[string]int{}
	for name, s := range compose.Services {
		if s.Image != "atelier" {
			continue
		}
		commands[s.Command]++
		conf, err := settings.Read(common.Or(func(name string) string { return s.Environment[name] }))
		if err != nil || bool(conf.Exclusive()) {
			t.Errorf("%s: got %v, want the settings of a process beside others", name, err)
		}
	}
	if commands["serve"] < 2 || commands["collab"] != 1 || commands["migrate"] != 1 || len(commands) != 3 {
		t.Errorf("got %v, want several that serve, one with the rooms, and one that migrates", commands)
	}
	behind := compose.Services["caddy"].Environment
	for _, address := range strings.Fields(behind["SERVE"] + " " + behind["ROOMS"]) {
		if name, port, _ := strings.Cut(address, ":"); compose.Services[name].Image != "atelier" || port != "8080" {
			t.Errorf("got %s behind the proxy, want a service of the file", address)
		}
	}
}

func TestNATSTakesItsExample(t *testing.T) {
	if out, err := exec.Command("nats-server", "-t", "-c", "../../examples/cluster/nats.conf").CombinedOutput(); err != nil {
		t.Errorf("got %v\n%s, want a configuration that is good", err, out)
	}
}
