// Package bwrap runs commands in bubblewrap, a sandbox of Linux namespaces: without a network,
// except a proxy to the hosts that a command may reach, and with nothing of the machine but
// its programs, read-only.
//
// A command acts on the disk as the user that the service runs as, because the files that it
// writes must stay the service's. Inside it has no other rights. Run the service as an
// ordinary user: as root, a kernel flaw that lets a command escape does more harm.
//
// bubblewrap itself starts with an empty environment, because a command can read bubblewrap's
// environment in /proc/1/environ, whatever --clearenv says.
//
// # The network of commands
//
// A command has no network unless its workspace lists hosts (commandHosts). Then the program
// starts itself inside the sandbox as sandbox-init, opens a loopback port there, hands the
// listening socket out to the service and becomes the command. So the only way out is a proxy
// in the service, which ends with the command. The proxy tunnels to port 443 and forwards
// plain HTTP to port 80, for listed hosts only. It connects through netguard, which refuses a
// listed name with a private or metadata address, and it bounds connections, bytes and time. A
// program that ignores the proxy finds an empty network namespace.
//
// # Tools of projects
//
// Tools implements ports/toolchain in the same cell as commands: no network, no environment,
// no other process or project, niceness 19, and watchers of processes, memory and disk.
// `sandbox-init --stay` opens 127.0.0.1:4873 inside and hands that listening socket out; the
// service serves its npm mirror (npm.Mirror) on it. Then it stays beside the tool and hands
// out unconnected sockets of the sandbox's network on request, which the service connects to
// the development server. So no data goes through a helper, no port is opened on the machine,
// and the inside reaches nothing but the mirror. The service reads from /proc/<pid>/net/tcp,
// from outside, which ports the tool listens on. Missing programs (bubblewrap, Node.js) are
// looked for again after a minute.
//
// # Packages of projects
//
// DATA_DIR/node/<project>/node_modules is mounted at the project's node_modules. It is not
// part of the files or the repository; the agent's commands find it there too. npm installs
// with --ignore-scripts and --no-save, from npm's lock file if there is one; other lock files
// are not read. The file "installed" beside it names what is installed: dependencies, lock
// file, .npmrc, the version of Node.js. It is removed before an installation and written once
// everything is on the disk, so a half installation is never used. Every project has a tree of
// its own, so no project can poison another's. Trees that nobody used for 30 days are removed.
//
// # Type checks
//
// The type checker (types.go) implements ports/typecheck. TypeScript's own compiler, since
// version 7 one static program, is the package @typescript/typescript-linux-<cpu>, pinned by
// CompilerVersion. adapters/npm fetches it at the first check, as a set of its own, so that no
// project's package.json chooses it.
//
// It runs in the cell of commands, also under SANDBOX=unsafe. The project is at /app,
// read-only and without its repository. At /packages is the project's set with what its links
// lead to, and nothing else of the store: a hostile typeRoots would otherwise list the
// packages of every other project. Files of the store cannot be executed, so the program is
// copied into the cell's memory. A check has 30 s, 1 GiB of memory, 1 MiB of output and 100
// diagnostics; the first diagnostic of one that was ended says so.
//
// # Language servers
//
// LanguageServers (languageservers.go) implements ports/languageserver with the same program in
// the same cell: started with --lsp, it speaks the Language Server Protocol, of which
// adapters/internal/lsp is the client. Its input is a pipe, and nothing that it prints beside the
// protocol is read. A server has 1 GiB of memory, 30 minutes of processor time, and 20 seconds for
// an answer; one that exceeds them is gone, and the next question starts another.
package bwrap
