package parts

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// holder is the variable that makes this test binary a program that holds a part.
const holder = "BOOKEND_TEST_HOLDER"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answers tells whether somebody listens at the address of a part.
func answers(t *testing.T, address string) bool {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// A part ends with the test that started it.
func TestAPartEndsWithItsTest(t *testing.T) {
	t.Setenv("BOOKEND_POSTGRES_DSN", "") // a server of one's own
	var p Part
	t.Run("use", func(t *testing.T) {
		p = Start(t, "postgres.py")
		if !answers(t, p.URL) {
			t.Error("it does not answer")
		}
		if p.Version["postgresql"] == "" || p.Version["pgvector"] == "" {
			t.Errorf("versions %v, want those of PostgreSQL and pgvector", p.Version)
		}
	})
	if p.URL != "" && answers(t, p.URL) {
		t.Error("it still answers after the test")
	}
}

// A part ends with a test that is killed and cleans nothing up.
func TestAPartEndsWithAKilledTest(t *testing.T) {
	if os.Getenv(holder) != "" {
		println(holder, Start(t, "postgres.py").URL)
		select {} // until it is killed
	}
	t.Setenv("BOOKEND_POSTGRES_DSN", "") // a server of one's own
	if os.Getenv(Real) != "1" {
		t.Skipf("starts a real server: set %s=1", Real)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), holder+"=1")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := ""
	lines := bufio.NewScanner(out)
	for address == "" && lines.Scan() {
		address, _ = strings.CutPrefix(lines.Text(), holder+" ")
	}
	answered := address != "" && answers(t, address)
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // "killed"
	if !answered {
		t.Fatal("the part did not start")
	}
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(stopTime)
	for answers(t, address) {
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("it still answers %v after the kill", stopTime)
		}
	}
}

// verdict is a test that notes how it was stopped.
type verdict struct {
	testing.TB
	skipped, failed bool
}

func (v *verdict) Skipf(string, ...any)  { v.skipped = true; runtime.Goexit() }
func (v *verdict) Fatalf(string, ...any) { v.failed = true; runtime.Goexit() }

func TestStartWithoutTheParts(t *testing.T) {
	t.Setenv("BOOKEND_PARTS", t.TempDir())
	t.Setenv("BOOKEND_MODEL_URL", "")
	for _, c := range []struct {
		script, real    string
		skipped, failed bool
	}{
		{"model.py", "", true, false},
		{"model.py", "1", false, true},
		{"modle.py", "", false, true},
	} {
		t.Setenv(Real, c.real)
		v := &verdict{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			Start(v, c.script)
		}()
		<-done
		if v.skipped != c.skipped || v.failed != c.failed {
			t.Errorf("%s, %s=%q: skipped %t and failed %t, want %t and %t", c.script, Real, c.real, v.skipped, v.failed, c.skipped, c.failed)
		}
	}
}

func TestStartUsesAServerThatRuns(t *testing.T) {
	t.Setenv("BOOKEND_EMBEDDINGS_URL", "http://127.0.0.1:9/")
	if got, want := Start(t, "embeddings.py").URL, "http://127.0.0.1:9"; got != want {
		t.Errorf("URL (-want +got)\n-%s\n+%s", want, got)
	}
}

func TestRedactedHidesThePassword(t *testing.T) {
	for _, address := range []string{"postgres://me:secret@host/db", "://secret", "host=h password=secret"} {
		if got := redacted(address); strings.Contains(got, "secret") {
			t.Errorf("redacted(%q) shows the password: %q", address, got)
		}
	}
}
