package main

const module = "github.com/atelierhq/atelier"

// bars is the table: what is measured against which peer, and what is good.
func bars() []bar {
	files := module + "/bootstrap"
	return []bar{
		{title: "PUT of 4 KiB, 100 files, against git add", pkg: files, benchmark: "BenchmarkWrite/files=100", metric: "x-git-add", most: 1},
		{title: "PUT of 4 KiB, 1,000 files, against git add", pkg: files, benchmark: "BenchmarkWrite/files=1000", metric: "x-git-add", most: 1},
		{title: "PUT of 4 KiB, 10,000 files, against git add", pkg: files, benchmark: "BenchmarkWrite/files=10000", metric: "x-git-add", most: 1},
		{title: "bulk of 100 with its commit, against git add + commit", pkg: files, benchmark: "BenchmarkBulk", metric: "x-git", most: 1},
		{title: "list of 10,000 files, against walking the disk", pkg: files, benchmark: "BenchmarkList", metric: "x-walk", most: 0.1},
		{title: "stream relay: first event, beyond the model's own", pkg: files, benchmark: "BenchmarkStreamRelay", metric: "ms-over-direct", most: 10},
		{title: "stream relay: 3,000 chunks, rate of the model's own", pkg: files, benchmark: "BenchmarkStreamRelay", metric: "x-direct-rate", most: 0.8, atLeast: true},
		{title: "idle process", pkg: files, benchmark: "BenchmarkIdle", metric: "MiB", most: 60},
		{title: "one idle stream", pkg: files, benchmark: "BenchmarkIdle", metric: "KiB/stream", most: 40},
		{title: "start with 1,000 projects, against none", pkg: files, benchmark: "BenchmarkStart", metric: "x-empty", most: 1.5},
	}
}
