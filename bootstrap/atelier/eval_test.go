package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/evals"
)

func TestEvalPrintsATable(t *testing.T) {
	out, err := atelier(t, map[string]string{"AI_PROVIDER": "demo", "LOG_LEVEL": "error"}, "eval", "-only", "change-text,add-package", "-parallel", "2")
	if err != nil {
		t.Fatalf("got %v\n%s", err, out)
	}
	for _, want := range []string{"landed  built", "change-text  yes", "add-package  no", "2 tasks      1/2", "failed: package.json matches"} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
}

func TestEvalFailsWithStrictOnly(t *testing.T) {
	env := map[string]string{"AI_PROVIDER": "demo", "LOG_LEVEL": "error"}
	if out, err := atelier(t, env, "eval", "-strict", "-only", "change-text"); err != nil {
		t.Errorf("got %v\n%s\nwant what passes to pass", err, out)
	}
	_, err := atelier(t, env, "eval", "-strict", "-only", "change-text,state-bug")
	if err == nil || err.Error() != "1 of 2 tasks did not pass" {
		t.Errorf("got %v, want the number of tasks that failed", err)
	}
}

func TestAnEvaluationCanBeRecordedAndReplayed(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"AI_PROVIDER": "demo", "LOG_LEVEL": "error"}
	evaluate := func(args ...string) []evals.Result {
		t.Helper()
		out, err := atelier(t, env, append([]string{"eval", "-json", "-only", "change-text,plan-only,crlf-file"}, args...)...)
		if err != nil {
			t.Fatalf("got %v\n%s", err, out)
		}
		var results []evals.Result
		if err := json.Unmarshal([]byte(out), &results); err != nil {
			t.Fatalf("got %v\n%s\nwant JSON", err, out)
		}
		for i := range results {
			results[i].Millis = 0
		}
		return results
	}
	want := evaluate("-record", dir)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q and %v, want one recording", files, err)
	}
	env["AI_PROVIDER"] = "none"
	// -replay accepts the folder of -record, and the file in it.
	for _, recorded := range []string{files[0], dir} {
		got := evaluate("-replay", recorded, "-parallel", "3")
		first, _ := json.Marshal(want)
		second, _ := json.Marshal(got)
		if string(first) != string(second) || len(got) != 3 || !got[0].Passed {
			t.Errorf("replayed from %s: got %s, want %s", recorded, second, first)
		}
	}
	env["AI_PROVIDER"] = "demo"
	several := t.TempDir()
	want = evaluate("-record", several, "-n", "3")
	env["AI_PROVIDER"] = "none"
	got := evaluate("-replay", several, "-n", "3", "-parallel", "3")
	first, _ := json.Marshal(want)
	second, _ := json.Marshal(got)
	if string(first) != string(second) || len(got) != 9 || got[4].Attempt != 2 || got[4].Task != got[3].Task {
		t.Errorf("several attempts: got %s, want %s", second, first)
	}
	if _, err := atelier(t, env, "eval", "-replay", t.TempDir()); err == nil || !strings.Contains(err.Error(), "no recording") {
		t.Errorf("got %v, want a folder without a recording refused", err)
	}
}

func TestEvalTakesTasksOfItsUsers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	task := `{"name":"mine","template":"static-html","prompt":"Change the heading to \"Ahoy\"","checks":[{"file":"index.html","contains":"<h1>Ahoy</h1>"}]}`
	if err := os.WriteFile(filepath.Join(dir, "mine", "task.json"), []byte(task), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := atelier(t, map[string]string{"AI_PROVIDER": "demo", "LOG_LEVEL": "error"}, "eval", "-strict", "-tasks", dir)
	if err != nil || !strings.Contains(out, "1 tasks") {
		t.Errorf("got %v\n%s\nwant the task to pass", err, out)
	}
}

func TestMistakesInTheFlagsOfEvalAreNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for want, args := range map[string][]string{
		"AI_PROVIDER":                   nil,
		"there is no task \"none\"":     {"-only", "none"},
		"takes no argument \"x\"":       {"-json", "x"},
		"-n, -parallel and -timeout":    {"-n", "0"},
		"must be greater than zero":     {"-parallel", "0"},
		"cannot be combined":            {"-record", "a", "-replay", "b"},
		"-replay: ":                     {"-replay", missing},
		"the tasks cannot be read":      {"-tasks", missing},
		"flag provided but not defi":    {"-loud"},
		"-set is tasks, first-pages":    {"-set", "others"},
		"no project or change \"none\"": {"-set", "faults", "-only", "none"},
		"its model follows a script":    {"-set", "faults", "-n", "2"},
	} {
		if out, err := atelier(t, map[string]string{}, append([]string{"eval"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v\n%s\nwant %q", args, err, out, want)
		}
	}
	out, err := atelier(t, map[string]string{}, "eval", "-h")
	if err != nil || !strings.Contains(out, "-replay") || !strings.Contains(out, "-strict") {
		t.Errorf("got %v\n%s\nwant the flags", err, out)
	}
}
