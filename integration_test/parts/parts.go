// Package parts starts the real servers that tests run against: PostgreSQL with
// pgvector, an embedding model, and a language model behind llama.cpp. Each is a
// script of this folder, which also says how to start it by hand; install fetches
// what they need.
//
// A part ends when its stdin closes. The test holds the other end, so that nothing
// is left behind however the test ends: by its cleanup, a panic, a timeout or a kill.
package parts

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:embed *.py
var scripts embed.FS

// Real is the variable that lets tests start parts when it is "1". A missing part
// is a failure then.
const Real = "BOOKEND_REAL"

const (
	startTime = 3 * time.Minute  // a model is loaded, on a busy machine
	stopTime  = 30 * time.Second // PostgreSQL writes its checkpoint
)

// addresses names the variable that holds the address of a part that runs already.
var addresses = map[string]string{
	"postgres.py":   "BOOKEND_POSTGRES_DSN",
	"embeddings.py": "BOOKEND_EMBEDDINGS_URL",
	"model.py":      "BOOKEND_MODEL_URL",
}

// Part is a server that answers requests.
type Part struct {
	URL     string            // its address, without a path; for PostgreSQL the DSN
	Version map[string]string // what runs, by name
}

// Start starts a script of this package, such as "postgres.py", waits until its
// server answers, logs the versions, and stops it when the test ends. Where
// BOOKEND_POSTGRES_DSN, BOOKEND_EMBEDDINGS_URL or BOOKEND_MODEL_URL is set, it
// returns that server, which is the caller's to stop. Unless BOOKEND_REAL is 1 it
// starts nothing and skips the test, so that the plain test command stays short;
// with it, parts that are not installed fail the test.
func Start(t testing.TB, script string, args ...string) Part {
	t.Helper()
	variable, known := addresses[script]
	if !known {
		t.Fatalf("there is no part %q", script)
	}
	if address := os.Getenv(variable); address != "" {
		t.Logf("%s: the one of %s, %s", script, variable, redacted(address))
		return Part{URL: strings.TrimSuffix(address, "/")}
	}
	if os.Getenv(Real) != "1" {
		t.Skipf("starts a real server: set %s=1 after integration_test/parts/install, or %s to one that runs", Real, variable)
	}
	p, err := start(t, script, args)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	t.Logf("%s %s: %s", script, strings.Join(args, " "), p.versions())
	return p
}

func (p Part) versions() string {
	text, err := json.Marshal(p.Version) // sorts by name
	if err != nil {
		return err.Error()
	}
	return string(text)
}

type missingError struct{ python string }

func (e *missingError) Error() string {
	return fmt.Sprintf("there is no %s: run integration_test/parts/install from the root of the repository", e.python)
}

// Python returns the interpreter of the installed parts, which has numpy. It skips the
// test where there is none, unless BOOKEND_REAL is 1: then that is a failure.
func Python(t testing.TB) string {
	t.Helper()
	interpreter, err := python()
	switch {
	case err == nil:
	case os.Getenv(Real) == "1":
		t.Fatal(err)
	default:
		t.Skipf("needs Python with numpy: %v", err)
	}
	return interpreter
}

// python returns the interpreter of the installed parts.
func python() (string, error) {
	folder := os.Getenv("BOOKEND_PARTS")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(cache, "bookend", "parts")
	}
	path := filepath.Join(folder, "venv", "bin", "python")
	if _, err := os.Stat(path); err != nil {
		return "", &missingError{path}
	}
	return path, nil
}

func start(t testing.TB, script string, args []string) (Part, error) {
	interpreter, err := python()
	if err != nil {
		return Part{}, err
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, scripts); err != nil {
		return Part{}, err
	}
	announced, announcement, err := os.Pipe()
	if err != nil {
		return Part{}, err
	}
	defer announced.Close()

	var log bytes.Buffer
	cmd := exec.Command(interpreter, append([]string{filepath.Join(folder, script)}, args...)...)
	cmd.Stdout, cmd.Stderr = announcement, &log
	cmd.WaitDelay = stopTime
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	announcement.Close() // the part has its own
	if err != nil {
		return Part{}, err
	}
	// Registered before anything is waited for: whatever happens now, it is stopped.
	t.Cleanup(func() {
		if err := stop(cmd, stdin); err != nil {
			t.Errorf("%s did not end well: %v\n%s", script, err, tail(&log))
		}
	})

	p, err := read(announced)
	if err != nil {
		_ = stop(cmd, stdin)
		return Part{}, fmt.Errorf("it did not start: %w\n%s", err, tail(&log))
	}
	return p, nil
}

// read waits for the line that a part prints when it answers.
func read(announced *os.File) (Part, error) {
	if err := announced.SetReadDeadline(time.Now().Add(startTime)); err != nil {
		return Part{}, err
	}
	line, err := bufio.NewReader(announced).ReadBytes('\n')
	if err != nil {
		return Part{}, err
	}
	var p Part
	if err := json.Unmarshal(line, &p); err != nil {
		return Part{}, fmt.Errorf("its line is %q: %w", line, err)
	}
	return p, nil
}

// stop closes the part's stdin and waits for its end, killing it at the deadline.
// The error is that of a part that failed; a second call does nothing.
func stop(cmd *exec.Cmd, stdin io.Closer) error {
	if cmd.ProcessState != nil {
		return nil
	}
	stdin.Close()
	deadline := time.AfterFunc(stopTime, func() { _ = cmd.Process.Kill() })
	defer deadline.Stop()
	return cmd.Wait()
}

// tail returns the end of what a part printed. The part has ended.
func tail(log *bytes.Buffer) string {
	text := log.String()
	return text[max(0, len(text)-4_000):]
}

// redacted returns an address without its password.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "which is no URL" // so nobody knows where its password stands
	}
	return u.Redacted()
}
