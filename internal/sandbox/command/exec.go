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

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// exec serves on a free port while a command runs, passes signals on, and ends with the command's status.
func (p *program) exec(flags *flag.FlagSet) run {
	set := newServeFlags(flags, "127.0.0.1:0")
	return func(ctx context.Context, arguments []string) error {
		switch {
		case len(arguments) == 0 || arguments[0] == "":
			return misused("which command? Write `exec -- COMMAND`, such as exec -- terraform test")
		case strings.HasPrefix(arguments[0], "-"):
			return misused("%s is where the command begins: write flags before --", arguments[0])
		}
		s, err := p.start(ctx, set)
		if err != nil {
			return err
		}
		defer s.stop()
		if err := s.override(); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...) //nolint:gosec // the user's own command
		cmd.Stdin = os.Stdin
		cmd.Stdout = p.stdout
		cmd.Stderr = p.stderr
		return await(cmd, func() {
			p.say("%s reads made-up models at %s, as %s", arguments[0], s.URL, s.Caller)
		})
	}
}

// await runs the command until it ends, and calls begun when it runs. On Linux the end of the thread that started the
// command would end it.
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

// latest is the signal that was passed on last.
type latest struct {
	signal os.Signal
	at     time.Time
}

// take replaces the latest signal, and reports whether the new one is another. The same one within a moment is not, as
// for the kernel while it is pending: timeout(1) sends two at once, and Terraform takes the second for a demand to give
// up.
func (l *latest) take(sent os.Signal, now time.Time) bool {
	const atOnce = 100 * time.Millisecond
	before := *l
	*l = latest{sent, now}
	return before.signal != sent || now.Sub(before.at) >= atOnce
}

// notRun says why a command did not start. As in shells, the status is 127 if it is not there, and else 126.
func notRun(cmd *exec.Cmd, err error) error {
	name := cmd.Args[0]
	file, absent := os.Stat(cmd.Path)
	switch {
	case absent != nil && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist)):
		said := ""
		if words := strings.Fields(name); len(words) > 1 {
			said = "; to run " + words[0] + " with arguments, leave out the quotes"
		}
		return &statusError{127, fmt.Errorf("there is no command %q%s", name, said)}
	case absent == nil && file.IsDir():
		err = errors.New("it is a folder")
	case errors.Is(err, os.ErrNotExist):
		err = fmt.Errorf("its interpreter %q does not exist", interpreterOf(cmd.Path))
	case errors.Is(err, syscall.ENOEXEC):
		err = errors.New("it is neither a program for this machine nor a script with a first line such as #!/bin/sh")
	}
	return &statusError{126, fmt.Errorf("%s cannot be run: %w", name, reasonOf(err))}
}

// interpreterOf returns the program that runs a script, or "".
func interpreterOf(script string) string {
	text, _ := os.ReadFile(script) //nolint:gosec // the user's own command
	line, _, _ := strings.Cut(string(text), "\n")
	named, _ := strings.CutPrefix(line, "#!")
	interpreter, _, _ := strings.Cut(strings.TrimLeft(named, " \t"), " ")
	return interpreter
}

// ofService reports whether a variable names another service, or changes how the provider or this program reads it.
func ofService(variable string) bool {
	name, own := strings.CutPrefix(strings.ToUpper(variable), setting.Prefix)
	argument := strings.ToLower(strings.TrimSuffix(name, "_FILE"))
	others := []string{setting.BaseURL, setting.CACertificate}
	isRead := setting.IsCredential(argument) || slices.Contains(others, argument)
	return own && (isRead || strings.HasPrefix(name, "SANDBOX_"))
}

// Direct returns the hosts of the sandbox, to which no request goes through a proxy, with commas between them.
func (s *serving) Direct() string { return strings.Join(s.hosts, ",") }

// override makes the sandbox the service of the commands of this process, as the lines of welcome.txt do. It keeps
// proxies, which a command may need, for other hosts than the sandbox's.
func (s *serving) override() error {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); ofService(name) {
			_ = os.Unsetenv(name) // it can be removed, because it is there
		}
	}
	hosts := []string{s.Direct(), os.Getenv("NO_PROXY"), os.Getenv("no_proxy")}
	direct := strings.Join(slices.DeleteFunc(hosts, func(hosts string) bool { return hosts == "" }), ",")
	// Programs read one of the two, or one before the other.
	for _, variable := range append(s.Variables(), [2]string{"NO_PROXY", direct}, [2]string{"no_proxy", direct}) {
		if err := os.Setenv(variable[0], variable[1]); err != nil {
			return err
		}
	}
	return nil
}
