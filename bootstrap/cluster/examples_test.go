package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/process"
)

func TestTheExamplesSettingsAreGood(t *testing.T) {
	values, err := bootstrap.ReadEnvFile("examples/atelier.env")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := bootstrap.LoadSettings(values.Or(func(string) string { return "" }))
	if err != nil {
		t.Fatal(err)
	}
	if settings.Alone() || settings.CollabEmbedded || settings.AutoMigrate {
		t.Errorf("got %+v, want processes beside others, without rooms, that leave the schema alone", settings)
	}
}

func TestTheExamplesRunCommandsThatThereAre(t *testing.T) {
	help, err := exec.Command(process.Build(t)).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	for unit, command := range map[string]string{"atelier-serve.service": "serve", "atelier-collab.service": "collab"} {
		text, err := os.ReadFile(filepath.Join("examples", unit))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nExecStart=/usr/local/bin/atelier "+command+"\n") || !strings.Contains(string(help), "\n  "+command+" ") {
			t.Errorf("%s: got another command than %s, or none of the program's", unit, command)
		}
	}
}

func TestNATSTakesItsExample(t *testing.T) {
	if out, err := exec.Command("nats-server", "-t", "-c", "examples/nats.conf").CombinedOutput(); err != nil {
		t.Errorf("got %v\n%s, want a configuration that is good", err, out)
	}
}
