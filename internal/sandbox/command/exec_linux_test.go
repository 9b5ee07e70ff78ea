package command

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// atTerminal starts a command in a session with a terminal of its own, and returns the terminal's other end and its
// lines. The terminal ends with the command.
func atTerminal(t *testing.T, cmd *exec.Cmd) (keyboard *os.File, lines *bufio.Scanner) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if cmd.Stdin == nil {
		cmd.Stdin = terminal
	}
	cmd.Stdout = terminal
	cmd.Stderr = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return keyboard, bufio.NewScanner(keyboard)
}

// until returns the lines up to one with the text.
func until(lines *bufio.Scanner, text string) string {
	var seen strings.Builder
	for lines.Scan() {
		fmt.Fprintln(&seen, lines.Text())
		if strings.Contains(lines.Text(), text) {
			break
		}
	}
	return seen.String()
}

// dialogue types the keys of each step after the text of the one before has appeared, and returns all lines.
func dialogue(t *testing.T, cmd *exec.Cmd, steps ...[2]string) (seen string, lines *bufio.Scanner) {
	t.Helper()
	keyboard, lines := atTerminal(t, cmd)
	for _, step := range steps {
		if _, err := keyboard.WriteString(step[0]); err != nil {
			t.Fatal(err)
		}
		seen += until(lines, step[1])
	}
	return seen, lines
}

// TestExecAtATerminal: the command may read the terminal, even if standard input is a pipe (ssh, sudo, gpg), and Ctrl-C
// reaches it once. SIGUSR1 makes it print the count: exec forwards that signal after Ctrl-C.
func TestExecAtATerminal(t *testing.T) {
	const script = `n=0; trap 'n=$((n+1)); echo interrupt' INT; trap 'echo "$n in all"; exit' USR1
		echo ready; read line </dev/tty; echo "reads $line"; ` + waits
	cmd := built(t, "exec", "--", "sh", "-c", script)
	cmd.Stdin = strings.NewReader("a pipe")
	seen, lines := dialogue(t, cmd, [2]string{"", "ready"}, [2]string{"hello\n", "reads hello"}, [2]string{"\x03", "interrupt"})
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Error(err)
	}
	seen += until(lines, "in all")
	if err := cmd.Wait(); err != nil || !strings.Contains(seen, "1 in all") {
		t.Errorf("it ends with %v:\n%s", err, seen)
	}
}

// TestExecStops: Ctrl-Z stops exec with its command, so the shell has the terminal again. Both continue together.
func TestExecStops(t *testing.T) {
	const shell = `set -m; "$0" exec -- sh -c 'echo ready; read line; exit 3'; echo "stopped $?"; fg; echo "ended $?"`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", shell, os.Args[0])
	seen, _ := dialogue(t, cmd, [2]string{"", "ready"}, [2]string{"\x1a", "stopped 148"}, [2]string{"line\n", "ended 3"})
	if err := cmd.Wait(); err != nil || !strings.Contains(seen, "ended 3") {
		t.Errorf("it ends with %v:\n%s", err, seen)
	}
}

// TestExecInTheBackground: keys of the terminal do not reach it, so an interrupt comes from another process, and is
// passed on. A command that has stopped because it reads the terminal ends, too.
func TestExecInTheBackground(t *testing.T) {
	for sent, script := range map[syscall.Signal]string{
		syscall.SIGINT:  `trap "exit 3" INT; echo $PPID is ready; ` + waits,
		syscall.SIGTERM: `trap "exit 3" TERM; echo $PPID is ready; kill -STOP $$; ` + waits,
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", `set -m; "$0" exec -- sh -c "$1" & wait $!; echo ended $?`, os.Args[0], script)
		_, lines := atTerminal(t, cmd)
		var pid int
		seen := until(lines, "is ready")
		if _, err := fmt.Sscan(seen[strings.LastIndexByte(strings.TrimSpace(seen), '\n')+1:], &pid); err != nil {
			t.Fatal(err, seen)
		}
		if err := syscall.Kill(pid, sent); err != nil {
			t.Error(err)
		}
		if seen = until(lines, "ended"); !strings.Contains(seen, "ended 3") {
			t.Errorf("%s:\n%s", sent, seen)
		}
		_ = cmd.Wait()
	}
}
