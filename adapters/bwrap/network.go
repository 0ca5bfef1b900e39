package bwrap

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// Network implements sandbox.Runner.
func (r *Runner) Network(ctx context.Context) error {
	if err := r.Available(ctx); err != nil {
		return err
	}
	if r.config.Mode == ModeUnsafe {
		return core.Errorf(core.CodeSandboxUnavailable, "commands run without isolation here, so they cannot be limited to some hosts (SANDBOX=unsafe)")
	}
	return r.tryNetwork()
}

// lookNetwork finds out whether commands can have a network on this machine. It runs a
// command with a network that the command does not use.
func (r *Runner) lookNetwork() error {
	if r.config.Helper == "" || r.config.Guard == nil {
		return core.Errorf(core.CodeSandboxUnavailable, "commands have no network here, because this program has no helper that opens one")
	}
	nowhere := core.HostPatterns{"nowhere.invalid"}
	err := r.probe().cage.try(task{limits: r.config.Limits, command: sandbox.Command{Line: "true", Hosts: nowhere}, guard: r.config.Guard, log: r.config.Log})
	if err != nil {
		return core.Wrap(core.CodeSandboxUnavailable, err, "commands have no network here, because it could not be opened in the sandbox")
	}
	return nil
}

// commandNetwork is the network of one running command. nil is no network.
type commandNetwork struct {
	proxy   *proxy
	door    *net.UnixConn
	traffic *traffic
	// opened means that the sandbox has sent its port. It is valid once served or
	// received is closed.
	opened   bool
	received chan struct{}
	served   chan struct{}
}

// openNetwork waits for the sandbox's port and serves it.
func (t task) openNetwork(door *net.UnixConn, end context.CancelCauseFunc) *commandNetwork {
	n := &commandNetwork{
		proxy: newProxy(t.command.Hosts, t.guard, t.project, t.log), door: door,
		received: make(chan struct{}), served: make(chan struct{}),
	}
	go func() {
		defer close(n.served)
		port, err := receivePort(door)
		n.opened = err == nil
		if err == nil {
			n.traffic = newTraffic(port, t.limits.NetworkBytes, func() { end(limitError{sandbox.LimitNetwork}) })
		}
		close(n.received)
		if err == nil {
			n.proxy.serve(n.traffic)
		}
	}()
	return n
}

// errNoNetwork reports that a command was promised a network and had none.
var errNoNetwork = errors.New("its network could not be opened")

// close ends the network of a command that is gone and returns the hosts that it was
// refused.
func (n *commandNetwork) close() ([]string, error) {
	// Whatever was sent has arrived, and nothing can be sent any more.
	_ = n.door.SetReadDeadline(time.Now().Add(endTime))
	<-n.received
	n.proxy.close()
	<-n.served
	_ = n.door.Close()
	if !n.opened {
		return nil, errNoNetwork
	}
	return n.proxy.report(n.traffic.bytes.Load()), nil
}

// proxyVariables tell programs about the proxy. Servers inside the sandbox are reached
// without it.
func proxyVariables() [][2]string {
	const inside = "localhost,127.0.0.1,::1"
	variables := [][2]string{{"NO_PROXY", inside}, {"no_proxy", inside}, {"NODE_USE_ENV_PROXY", "1"}}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		variables = append(variables, [2]string{name, proxyURL}, [2]string{strings.ToLower(name), proxyURL})
	}
	return variables
}

// offlineVariables tell package managers that there is no network. They then fail
// immediately instead of trying for minutes.
func offlineVariables() [][2]string {
	return [][2]string{{"npm_config_offline", "true"}, {"npm_config_fetch_retries", "0"}, {"npm_config_audit", "false"}, {"YARN_ENABLE_NETWORK", "0"}}
}

// certificateMounts are the root certificates by which programs verify servers, at the
// paths of the usual distributions.
func certificateMounts() []mount {
	return mountsOf("/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted")
}
