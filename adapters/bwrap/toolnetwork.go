package bwrap

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// toolNetwork connects the service with the sandbox of a tool: inward to what listens there,
// and outward from there to the package registry.
type toolNetwork struct {
	inner   *bubblewrap.Process
	opened  bool
	ready   chan struct{}
	served  chan struct{}
	server  *http.Server
	traffic *traffic

	// asking is held while a question is asked at the door. owed counts
	// answers whose askers left before they came.
	asking *ctxsync.Mutex
	owed   int
	door   *net.UnixConn
}

// askTime bounds how long the helper may take to create a socket.
const askTime = 5 * time.Second

// openToolNetwork waits for the registry's port and serves it.
func openToolNetwork(door *net.UnixConn, inner *bubblewrap.Process, registry http.Handler, most int64, end context.CancelCauseFunc) *toolNetwork {
	n := &toolNetwork{
		inner: inner, door: door, ready: make(chan struct{}), served: make(chan struct{}), asking: ctxsync.NewMutex(),
		server: &http.Server{
			Handler: registry, MaxHeaderBytes: maxProxyHeader, ReadHeaderTimeout: headerTime,
			ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		},
	}
	go func() {
		defer close(n.served)
		port, err := receivePort(door)
		n.opened = err == nil
		if err == nil {
			n.traffic = newTraffic(port, most, func() { end(limitError{sandbox.LimitNetwork}) })
		}
		close(n.ready)
		if err == nil {
			_ = n.server.Serve(n.traffic)
		}
	}()
	return n
}

// close implements network.
func (n *toolNetwork) close() ([]string, error) {
	_ = n.door.SetReadDeadline(time.Now().Add(endTime))
	<-n.ready
	_ = n.server.Close()
	<-n.served
	_ = n.door.Close()
	if !n.opened {
		return nil, errNoNetwork
	}
	return nil, nil
}

// dial connects to an address inside the sandbox.
func (n *toolNetwork) dial(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	select {
	case <-n.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ip := address.Addr().Unmap()
	kind := byte(askIPv4)
	if ip.Is6() {
		kind = askIPv6
	}
	if ip.IsUnspecified() {
		ip = map[byte]netip.Addr{askIPv4: netip.AddrFrom4([4]byte{127, 0, 0, 1}), askIPv6: netip.IPv6Loopback()}[kind]
	}
	socket, err := n.ask(ctx, kind)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	if ip.Is6() {
		return connect(ctx, socket, &unix.SockaddrInet6{Port: int(address.Port()), Addr: ip.As16()})
	}
	return connect(ctx, socket, &unix.SockaddrInet4{Port: int(address.Port()), Addr: ip.As4()})
}

// ask gets a socket of the sandbox's network namespace.
func (n *toolNetwork) ask(ctx context.Context, kind byte) (*os.File, error) {
	if err := n.asking.Lock(ctx); err != nil {
		return nil, err
	}
	defer n.asking.Unlock()
	if !n.opened {
		return nil, errNoNetwork
	}
	if err := n.door.SetDeadline(time.Now().Add(askTime)); err != nil {
		return nil, err
	}
	if _, err := n.door.Write([]byte{kind}); err != nil {
		return nil, err
	}
	n.owed++
	for {
		socket, err := receive(n.door)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, err
		}
		if n.owed--; n.owed == 0 {
			return socket, err
		}
		// The first answers belong to askers that have left.
		if err == nil {
			_ = socket.Close()
		}
	}
}

// connect connects a non-blocking socket.
func connect(ctx context.Context, socket *os.File, to unix.Sockaddr) (net.Conn, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = socket.SetWriteDeadline(time.Unix(1, 0)) })()
	begun := false
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		if !begun {
			begun = true
			failed = unix.Connect(int(fd), to)
			return !errors.Is(failed, unix.EINPROGRESS)
		}
		return isConnected(int(fd), &failed)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err = errors.Join(err, failed); err != nil {
		return nil, os.NewSyscallError("connect", err)
	}
	return net.FileConn(socket)
}

// isConnected reports whether a connection is established or has failed.
func isConnected(fd int, failed *error) bool {
	number, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && number != 0 {
		err = unix.Errno(number)
	}
	if err == nil {
		if _, err = unix.Getpeername(fd); errors.Is(err, unix.ENOTCONN) {
			return false
		}
	}
	*failed = err
	return true
}

// maxListening bounds the addresses that one call returns.
const maxListening = 64

// listening returns the addresses at which the processes inside listen.
func (n *toolNetwork) listening() []netip.AddrPort {
	pid := n.inner.ID()
	if pid == 0 {
		return nil
	}
	var found []netip.AddrPort
	for _, table := range []string{"tcp", "tcp6"} {
		found = append(found, listenersIn("/proc/"+strconv.Itoa(pid)+"/net/"+table)...)
	}
	slices.SortFunc(found, func(a, b netip.AddrPort) int {
		return cmp.Or(cmp.Compare(a.Port(), b.Port()), a.Addr().Compare(b.Addr()))
	})
	return found[:min(len(found), maxListening)]
}

// stateListening marks listening sockets in the kernel's tables.
const stateListening = "0A"

// listenersIn reads one of the kernel's socket tables.
func listenersIn(table string) []netip.AddrPort {
	file, err := os.Open(table)
	if err != nil {
		return nil
	}
	defer file.Close()
	var found []netip.AddrPort
	lines := bufio.NewScanner(file)
	for lines.Scan() && len(found) < maxListening {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != stateListening {
			continue
		}
		if address, sound := kernelAddress(fields[1]); sound && address.Port() != registryPort {
			found = append(found, address)
		}
	}
	return found
}

// kernelAddress parses an address of these tables: the words of the IP in the machine's
// byte order, which is little-endian wherever commands can run, and the port.
func kernelAddress(text string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(text, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	raw, bad := hex.DecodeString(host)
	if err != nil || bad != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word)
	}
	ip, sound := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip, uint16(number)), sound
}
