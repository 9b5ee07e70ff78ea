package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// exec serves on a free port while a command runs, passes signals on, and ends with the command's status.
func (p *program) exec(flags *flag.FlagSet) run {
	set := &settings{listen: "127.0.0.1:0"}
	set.flags(flags)
	return func(ctx context.Context, arguments []string) error {
		s, err := p.start(ctx, set)
		if err != nil {
			return err
		}
		defer s.stop()
		fmt.Fprintf(p.stderr, "%s: %s reads made-up models at %s, as %s\n", p.name, arguments[0], s.base, s.caller.Name)
		cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...) //nolint:gosec // what the user wants run
		cmd.Env = overridden(os.Environ(), s.environment(), s.base)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.stdout, p.stderr
		return p.await(cmd)
	}
}

// await runs the command until it ends. On Linux the end of the thread that started it would end the command.
func (p *program) await(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pass := isolate(cmd)
	if err := cmd.Start(); err != nil {
		return &statusError{127, fmt.Errorf("%s cannot be run: %w", cmd.Args[0], reasonOf(err))}
	}
	done, passed, signalled := make(chan struct{}), make(chan struct{}), false
	go func() {
		defer close(passed)
		for {
			select {
			case sent := <-p.signals:
				signalled = true
				pass(cmd, sent)
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(done)
	if <-passed; signalled {
		pass(cmd, syscall.SIGTERM) // to what it started and left behind
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return &statusError{statusOf(ended), nil}
	}
	return err
}

// overridden returns the environment with these variables, and without others that would contradict them. It keeps
// proxies, which a command may need, for other hosts than the sandbox's.
func overridden(environ []string, variables [][2]string, base string) []string {
	environ = slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
		ours, ok := strings.CutPrefix(name, "MODELCATALOGUE_")
		names := []string{"BASE_URL", "CLIENT_ID", "CLIENT_SECRET", "ACCESS_TOKEN", "CA_CERTIFICATE_PEM"}
		return ok && (slices.Contains(names, strings.TrimSuffix(ours, "_FILE")) || strings.HasPrefix(ours, "SANDBOX_"))
	})
	direct := "localhost,127.0.0.1,::1"
	if address, err := url.Parse(base); err == nil && net.ParseIP(address.Hostname()) == nil {
		direct += "," + address.Hostname()
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		variables = append(variables, [2]string{name, strings.TrimPrefix(os.Getenv(name)+","+direct, ",")})
	}
	for _, variable := range variables {
		environ = append(environ, variable[0]+"="+variable[1])
	}
	return environ
}
