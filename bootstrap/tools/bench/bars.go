package main

import (
	"fmt"
	"runtime"
)

const module = "github.com/atelierhq/atelier/"

// bars is the table: what is compared with which peer, and the required value.
func bars() []bar {
	const files, whole, builder, peers, data = module + "bootstrap/stories/files", module + "bootstrap/stories/operation", module + "adapters/esbuild", module + "bootstrap/tools/peers", module + "adapters/pocketbase"
	return []bar{
		{title: "PUT of 4 KiB, 100 files, against git add", pkg: files, benchmark: "BenchmarkWrite/files=100", metric: "x-git-add", most: 1},
		{title: "PUT of 4 KiB, 1,000 files, against git add", pkg: files, benchmark: "BenchmarkWrite/files=1000", metric: "x-git-add", most: 1},
		{title: "PUT of 4 KiB, 10,000 files, against git add", pkg: files, benchmark: "BenchmarkWrite/files=10000", metric: "x-git-add", most: 1},
		{title: "bulk of 100 with its commit, against git", pkg: files, benchmark: "BenchmarkBulk/", metric: "x-git-add-commit", most: 1},
		{title: "list of 10,000 files, against walking the disk", pkg: files, benchmark: "BenchmarkList/unchanged", metric: "x-walk", most: 0.1},
		{title: "search of 10 MB, the slowest of nine kinds, against rg -j2", pkg: module + "adapters/regexsearch", benchmark: "BenchmarkSearch/tree/", metric: "x-rg", most: 5},
		{title: "stream relay: first event, beyond the model's own", pkg: whole, benchmark: "BenchmarkStreamRelay", metric: "ms-over-direct", most: 10},
		{title: "stream relay: 3,000 chunks, rate of the model's own", pkg: whole, benchmark: "BenchmarkStreamRelay", metric: "x-direct-rate", most: 0.8, atLeast: true},
		{title: "calls for the own account a second, against the peer's 2,400", pkg: whole, benchmark: "BenchmarkMe", metric: "x-peer", most: 5, atLeast: true},
		{title: "check of an access token, without a query", pkg: module + "adapters/credentials", benchmark: "BenchmarkVerify", metric: "ns/op", most: 10e3},
		{title: "250 sign-ins at once: p99 of 16 people's calls, against idle", pkg: whole, benchmark: "BenchmarkSignIns/connections=16", metric: "x-idle-p99", most: 5},
		{title: "50 at once: p99 of 4 people's calls that rest 2 ms, the same", pkg: whole, benchmark: "BenchmarkSignIns/resting=4", metric: "x-idle-p99", most: 6},
		{title: "idle process: one person, one project, previewed once", pkg: whole, benchmark: "BenchmarkIdle", metric: "MiB", most: 90},
		{title: "the same, processes for the data of applications", pkg: whole, benchmark: "BenchmarkIdle", metric: "data-workers", most: 0},
		{title: "one idle stream", pkg: whole, benchmark: "BenchmarkIdle", metric: "KiB/stream", most: 60},
		{title: "start with 1,000 projects, against none", pkg: whole, benchmark: "BenchmarkStart", metric: "x-empty", most: 1.5},
		{title: "first preview of todo-app, packages in the store", pkg: builder, benchmark: "BenchmarkTodoApp/first_preview,_no_caches", metric: "ns/op", most: 300e6},
		{title: "direct-save of a component, without the write", pkg: module + "adapters/markup", benchmark: "BenchmarkDirectSave/kind=tsx", metric: "ns/op", most: 5e6},
		{title: "direct-save of a style sheet, without the write", pkg: module + "adapters/markup", benchmark: "BenchmarkDirectSave/kind=css", metric: "ns/op", most: 5e6},
		{title: "direct-save of a page, without the write", pkg: module + "adapters/markup", benchmark: "BenchmarkDirectSave/kind=html", metric: "ns/op", most: 5e6},
		{title: "preview after a save", pkg: builder, benchmark: "BenchmarkTodoApp/preview_after_a_save", metric: "ns/op", most: 100e6},
		{title: "publish of todo-app, against vite build", pkg: builder, benchmark: "BenchmarkTodoApp/publish", metric: "x-vite", most: 0.2},
		{title: "publish of todo-app without any cache", pkg: builder, benchmark: "BenchmarkTodoApp/publish,_no_caches", metric: "x-vite", most: 1},
		{title: "project created to styled page in Chromium", pkg: peers, benchmark: "BenchmarkCreateToPage", metric: "ms", most: 200},
		{title: "the same, times faster than npm install and vite", pkg: peers, benchmark: "BenchmarkCreateToPage", metric: "x-faster", most: 20, atLeast: true},
		{title: "an export of Lovable uploaded to styled page, against npm ci and vite", pkg: peers, benchmark: "BenchmarkImportToPage", metric: "x-vite", most: 0.2},
		{title: "save to page updated, state kept, against vite", pkg: peers, benchmark: "BenchmarkSaveToPage", metric: "x-vite", most: 0.5},
		{title: "publish over HTTP, caches warm, against vite build", pkg: peers, benchmark: "BenchmarkPublish", metric: "x-vite-warm", most: 0.05},
		{title: "publish over HTTP, first on fresh data, against vite build", pkg: peers, benchmark: "BenchmarkPublish", metric: "x-vite-cold", most: 0.6},
		{title: "published bytes, against vite build", pkg: peers, benchmark: "BenchmarkPublish", metric: "x-vite-bytes", most: 1.05},
		{title: "one open preview", pkg: peers, benchmark: "BenchmarkOpenPreviews", metric: "MiB/preview", most: 2},
		{title: "100 open previews, all answering, in all", pkg: peers, benchmark: "BenchmarkOpenPreviews", metric: "MiB", most: 300},
		{title: "the studio's dashboard, first visit, ready to use", pkg: peers, benchmark: "BenchmarkDashboard", metric: "ms", most: 1000},
		{title: "pages that broke during 100 publishes", pkg: peers, benchmark: "BenchmarkPublishUnderLoad", metric: "broken", most: 0},
		{title: "slowest rollback", pkg: peers, benchmark: "BenchmarkRollback", metric: "ms-slowest", most: 100},
		{title: "a key in a busy room, CPU, against y-websocket", pkg: peers, benchmark: "BenchmarkRoom", metric: "x-node/key", most: 0.5},
		{title: "late join after 100,000 keys, against y-websocket", pkg: peers, benchmark: "BenchmarkRoom", metric: "x-node/join", most: 0.5},
		{title: "the same, CPU of the server", pkg: peers, benchmark: "BenchmarkRoom", metric: "x-node/join-cpu", most: 0.5},
		{title: "memory of a room of 100,000 keys, against y-websocket", pkg: peers, benchmark: "BenchmarkRoom", metric: "x-node/busy-room", most: 0.5},
		{title: "the same, when nobody has typed for a while", pkg: peers, benchmark: "BenchmarkRoom", metric: "x-node/quiet-room", most: 0.5},
		{title: "a change reaches 100 members: p99, against p50 of one", pkg: peers, benchmark: "BenchmarkMembers", metric: "x-each", most: 10},
		{title: "what a stuck member costs the others of 100", pkg: peers, benchmark: "BenchmarkMembers", metric: "x-unstuck", most: 1.1},
		{title: "one of 10,000 idle sockets", pkg: peers, benchmark: "BenchmarkIdleSockets", metric: "KiB/socket", most: 30},
		{title: "stock copies unlike the disk after 20,000 operations", pkg: peers, benchmark: "BenchmarkConvergence", metric: "differ", most: 0},
		{title: "look at a page with 30 controls, p50", pkg: module + "core/browsing", benchmark: "BenchmarkPage", metric: "ms-look-p50", most: 150},
		{title: "the same after a step on it", pkg: module + "core/browsing", benchmark: "BenchmarkPage", metric: "ms-act-p50", most: 250},
		{title: "look at the end of a run, the slowest", pkg: module + "core/browsing", benchmark: "BenchmarkPage", metric: "ms-smoke-slowest", most: 1500},
		{title: "the same, when the browser has to start", pkg: module + "core/browsing", benchmark: "BenchmarkPage", metric: "ms-smoke-cold", most: 1500},
		{title: "the browser while a run looks", pkg: module + "core/browsing", benchmark: "BenchmarkPage", metric: "MiB", most: 400},
		{title: "the same, a minute after the run", pkg: module + "core/browsing", benchmark: "BenchmarkPage", metric: "MiB-minute-after", most: 0},
		{title: "idle open backend", pkg: data, benchmark: "BenchmarkOpen", metric: "MiB/open", most: 2},
		{title: "1,000 backends that were used and closed: heap", pkg: data, benchmark: "BenchmarkClosed", metric: "MiB-heap/1000", most: 0.1},
		{title: "the same, pages of the process", pkg: data, benchmark: "BenchmarkClosed", metric: "MiB/1000", most: 4},
		{title: "first answer of a closed backend, p50", pkg: data, benchmark: "BenchmarkOpen", metric: "ms-reopen-p50", most: 25},
		{title: "first answer after the data worker was killed, the slowest", pkg: module + "adapters/dataworker", benchmark: "BenchmarkKilled", metric: "ms-slowest", most: 2000},
		{title: "list of 30 records through site and worker, against stock", pkg: peers, benchmark: "BenchmarkBackend/list", metric: "x-stock", most: 0.5, atLeast: true},
		{title: "the same, p99 beyond stock's", pkg: peers, benchmark: "BenchmarkBackend/list", metric: "ms-p99-over", most: 3},
		{title: "durable create of a record, against stock with synchronous=FULL", pkg: peers, benchmark: "BenchmarkBackend/create", metric: "x-stock", most: 0.5, atLeast: true},
		{title: "a change reaches 1,000 listeners, p99", pkg: peers, benchmark: "BenchmarkListeners", metric: "ms-p99", most: 100},
		{title: "save of schema.json to types and test data, p50", pkg: peers, benchmark: "BenchmarkSchemaSave", metric: "ms-p50", most: 300},
		{title: "attack on 20 collections", pkg: module + "core/backends/attack", benchmark: "BenchmarkAttack", metric: "ns/op", most: 3e9},
		{title: "cold function, p99", pkg: module + "adapters/quickjs", benchmark: "BenchmarkCold", metric: "p99-µs", most: 10e3},
		{title: "memory of a function that waits", pkg: module + "adapters/quickjs", benchmark: "BenchmarkMemory", metric: "B/isolate", most: 1 << 20},
		{title: "planted behaviour faults that a run notices, of 50", pkg: module + "bootstrap/evals/faults", benchmark: "BenchmarkFaults", metric: "caught", most: 45, atLeast: true},
		{title: "planted sound changes that a run questions, of 50", pkg: module + "bootstrap/evals/faults", benchmark: "BenchmarkFaults", metric: "alarms", most: 0},
		{title: "publish with 100 checks, in all", pkg: module + "bootstrap/stories/checks", benchmark: "BenchmarkManyChecks", metric: "s-publish", most: 180},
		{title: "the two browsers that play them", pkg: module + "bootstrap/stories/checks", benchmark: "BenchmarkManyChecks", metric: "MiB", most: 800},
		{title: "writes lost through two processes", pkg: peers, benchmark: "BenchmarkTwoProcesses/writes", metric: "lost", most: 0},
		twoProcesses(),
	}
}

// coresOfTwo is how many cores two processes need to show their benefit: one for each
// with its load, and two for what they share.
const coresOfTwo = 4

// twoProcesses is the bar for reads from two processes against one. On a machine with
// fewer cores there is none: one process with PostgreSQL and the load already uses them
// all.
func twoProcesses() bar {
	b := bar{title: "reads from two processes, slowest of five, against one", pkg: module + "bootstrap/tools/peers", benchmark: "BenchmarkTwoProcesses/", metric: "x-one", most: 1.6, atLeast: true}
	if cores := runtime.NumCPU(); cores < coresOfTwo {
		b.without = fmt.Sprintf("%d cores are full with one process", cores)
	}
	return b
}
