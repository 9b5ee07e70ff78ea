package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// exec serves on a free port while a command runs, forwards signals, and exits with the command's status.
func (p *program) exec(flags *flag.FlagSet) run {
	set := newServeFlags(flags, "127.0.0.1:0")
	flags.StringVar(&set.caller, "organisation", "", "")
	return func(ctx context.Context, arguments []string) error {
		if len(arguments) == 0 {
			return misused("which command? Write `exec -- COMMAND`, such as exec -- terraform test")
		}
		s, stop, err := p.start(ctx, set)
		if err != nil {
			return err
		}
		defer stop()
		cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...) //nolint:gosec // the user's own command
		cmd.Env = s.environment()
		cmd.Stdin = os.Stdin
		cmd.Stdout = p.stdout
		cmd.Stderr = p.stderr
		return await(cmd, func() {
			p.say("%s reads made-up models at %s, as %s", arguments[0], s.URL, s.Caller)
		})
	}
}

// await starts the command, calls begun, and waits for the end. It locks the thread, because on Linux the command ends
// together with the thread that started it.
func await(cmd *exec.Cmd, begun func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	running := newJob(cmd)
	signals := make(chan os.Signal, 64)
	running.catch(signals)
	if err := cmd.Start(); err != nil {
		return notRun(cmd, err)
	}
	begun()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	var passed latest
	for isEnding := false; ; {
		select {
		case sent := <-signals:
			isEnding = isEnding || slices.Contains(ends, sent)
			if passed.take(sent, time.Now()) {
				running.pass(sent)
			}
		case err := <-ended:
			if isEnding {
				running.endRest()
			}
			if failed, ok := errors.AsType[*exec.ExitError](err); ok {
				return &statusError{statusOf(failed), nil}
			}
			return err
		}
	}
}

// latest is the last forwarded signal.
type latest struct {
	signal os.Signal
	at     time.Time
}

// take replaces the latest signal, and reports whether to forward the new one. The same signal within a moment is one
// signal, as in the kernel while it is pending: timeout(1) sends two at once, and the second makes Terraform give up.
func (l *latest) take(sent os.Signal, now time.Time) bool {
	const atOnce = 100 * time.Millisecond
	before := *l
	*l = latest{sent, now}
	return before.signal != sent || now.Sub(before.at) >= atOnce
}

// notRun returns the error of a command that did not start. As in shells, its status is 127 for a missing command, and
// otherwise 126.
func notRun(cmd *exec.Cmd, err error) error {
	_, absent := os.Stat(cmd.Path)
	if strings.Contains(cmd.Args[0], " ") {
		err = fmt.Errorf("%w; if that is a command and its arguments, leave out the quotes", err)
	}
	switch {
	case absent != nil || errors.Is(err, exec.ErrNotFound):
		return &statusError{127, err}
	case errors.Is(err, os.ErrNotExist):
		err = fmt.Errorf("%w: the interpreter that its first line names is not there", err)
	}
	return &statusError{126, err}
}

// ofService reports whether a variable selects another service, or changes how the provider or this program reads it.
func ofService(entry string) bool {
	variable, _, _ := strings.Cut(strings.ToUpper(entry), "=")
	name, isOwn := strings.CutPrefix(variable, settings.Prefix)
	argument := strings.ToLower(strings.TrimSuffix(name, "_FILE"))
	isRead := argument == settings.BaseURL || settings.FileVariable(argument) != ""
	return isOwn && (isRead || strings.HasPrefix(name, "SANDBOX_"))
}

// Direct returns the hosts of the sandbox, separated by commas. Requests to them must not go through a proxy.
func (s *serving) Direct() string { return strings.Join(s.hosts, ",") }

// environment returns the variables of this process with the sandbox as the service, like the lines of welcome.txt. It
// keeps proxies for other hosts, because the command may need them.
func (s *serving) environment() []string {
	env := slices.DeleteFunc(os.Environ(), ofService)
	for _, variable := range s.Variables() {
		env = append(env, variable[0]+"="+variable[1])
	}
	hosts := slices.Clone(s.hosts)
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if others := os.Getenv(name); others != "" {
			hosts = append(hosts, others)
		}
	}
	direct := strings.Join(hosts, ",")
	// Some programs read only one of the two.
	return append(env, "NO_PROXY="+direct, "no_proxy="+direct)
}
