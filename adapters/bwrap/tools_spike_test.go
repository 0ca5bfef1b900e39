package bwrap_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/ports/toolchain"
)

func TestSpike(t *testing.T) {
	p := newPlace(t)
	b := p.bench(bwrap.ModeBwrap)
	r, err := npm.New(npm.Config{Dir: "/tmp/nodespike/store"})
	if err != nil {
		t.Fatal(err)
	}
	os.MkdirAll("/tmp/nodespike/work", 0o755)
	tools := bwrap.NewTools(p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Limits = bwrap.Limits{} }), bwrap.ToolsConfig{Dir: t.TempDir(), Registry: npm.NewMirror(r)})
	start := time.Now()
	fmt.Println(tools.Available(t.Context()), tools.Version(), time.Since(start))
	src := os.Getenv("SPIKE")
	if out, err := exec.Command("cp", "-r", src+"/.", p.dir(b.Project)).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	say := func(line string) { fmt.Println("  |", line) }
	start = time.Now()
	fmt.Println(tools.Install(t.Context(), b.Project, "k1", toolchain.Task{Line: "npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=warn", Say: say}))
	fmt.Println("install", time.Since(start))
	start = time.Now()
	s, err := tools.Serve(t.Context(), b.Project, toolchain.Task{Line: os.Getenv("DEV"), Say: say})
	if err != nil {
		t.Fatal(err)
	}
	for len(s.Listening()) == 0 {
		select {
		case <-s.Done():
			t.Fatal(s.Outcome())
		case <-time.After(10 * time.Millisecond):
		}
	}
	fmt.Println(s.Listening(), time.Since(start))
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (c net.Conn, err error) {
		return s.Dial(ctx, s.Listening()[0])
	}}}
	get := func(path string) {
		got, err := client.Get("http://localhost:5173" + path)
		if err != nil {
			fmt.Println(path, err)
			return
		}
		content, _ := io.ReadAll(got.Body)
		fmt.Println("GET", path, got.StatusCode, got.Header, string(content[:min(len(content), 1500)]))
	}
	for _, path := range strings.Fields(os.Getenv("GETS")) {
		get(path)
	}
	if edit := os.Getenv("EDIT"); edit != "" {
		content, _ := os.ReadFile(p.dir(b.Project) + "/" + edit)
		for _, change := range strings.Split(os.Getenv("CHANGES"), "@@") {
			from, to, _ := strings.Cut(change, "=>")
			os.WriteFile(p.dir(b.Project)+"/"+edit+".tmp", []byte(strings.Replace(string(content), from, to, 1)), 0o644)
			os.Rename(p.dir(b.Project)+"/"+edit+".tmp", p.dir(b.Project)+"/"+edit)
			fmt.Println("--- edited", change)
			time.Sleep(600 * time.Millisecond)
			for _, path := range strings.Fields(os.Getenv("GETS")) {
				get(path)
			}
		}
	}
	s.Stop()
	start = time.Now()
	built, err := tools.Build(t.Context(), b.Project, toolchain.BuildTask{Task: toolchain.Task{Line: os.Getenv("BUILD"), Say: say}, Files: os.DirFS(p.dir(b.Project)), Outputs: []string{"dist", "build"}})
	fmt.Println("build", built.Outcome, built.Output, len(built.Files), err, time.Since(start))
}
