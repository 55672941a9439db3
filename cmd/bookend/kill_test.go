//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
)

var kills = flag.Int("kills", 3, "how often each command is killed, and how often its disk is full")

const (
	childArgs, childLimit = "BOOKEND_TEST_ARGS", "BOOKEND_TEST_FILE_LIMIT"
	killConcurrency       = 8
)

// TestChild is the command that the tests below start as a process of its own.
func TestChild(t *testing.T) {
	var args []string
	if json.Unmarshal([]byte(os.Getenv(childArgs)), &args) != nil {
		t.Skip("runs only as the child of another test")
	}
	if size, err := strconv.ParseUint(os.Getenv(childLimit), 10, 64); err == nil { // of a file: the disk is full
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
			t.Fatal(err)
		}
	}
	os.Args = append([]string{"bookend"}, args...)
	main()
}

// process is a command that runs as a process of its own.
type process struct {
	*exec.Cmd
	out   bytes.Buffer
	ended chan struct{}
}

// start starts a command; limit bounds its files, 0: not.
func start(t *testing.T, limit int, args ...string) *process {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$"), ended: make(chan struct{})}
	p.Env = append(os.Environ(), childArgs+"="+string(text), "OPENAI_API_KEY="+testKey)
	if limit > 0 {
		p.Env = append(p.Env, childLimit+"="+strconv.Itoa(limit))
	}
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Wait()
		close(p.ended)
	}()
	return p
}

// code waits for the end and returns the exit code.
func (p *process) code() int {
	<-p.ended
	return p.ProcessState.ExitCode()
}

// killAfter kills the process once so much was asked, unless it ends before, and says
// whether it did.
func (p *process) killAfter(asked int, count func() int) bool {
	for count() < asked {
		select {
		case <-p.ended:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	killed := p.Process.Kill() == nil
	<-p.ended
	return killed
}

// answers counts the answers of a journal by their keys.
func answers(t *testing.T, path string) map[string]int {
	t.Helper()
	found := map[string]int{}
	if _, err := os.Stat(path); err != nil {
		return found // ended before there was a journal
	}
	_, err := journal.Read(path, func(r journal.Record) error {
		if r.Answer == nil {
			t.Errorf("a failure is recorded: %+v", r.Failure)
		}
		found[r.Key]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A sweep or a comparison that is killed again and again, and whose disk fills again
// and again, loses no answer and asks for none twice but for what was open, and ends
// with the report of one that nothing disturbed.
func TestKilledExperiments(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"sweep":   {"sweep", "--data", questions(t, 8**kills)},
		"compare": {"compare", "--data", retrieved(t, 8**kills)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, requests := server(t, func(prompt string) (int, string) {
				time.Sleep(2 * time.Millisecond) // the latency of a server
				return readsTheEnd(prompt)
			})
			args := append(args, "--model", "m", "--base-url", url, "--concurrency", strconv.Itoa(killConcurrency))
			calm, out := filepath.Join(t.TempDir(), "calm"), filepath.Join(t.TempDir(), "out")
			if p := start(t, 0, append(args, "--out", calm)...); p.code() != exitDone {
				t.Fatalf("undisturbed: code %d\n%s", p.code(), p.out.String())
			}
			want := answers(t, filepath.Join(calm, journalName))
			path := filepath.Join(out, journalName)
			repeated, times, begun := 0, 0, int(requests.Load())
			// disturbed runs the command once, and counts what was asked in vain so far: a request
			// may come in when its process is gone for long.
			disturbed := func(what string, limit int, disturb func(p *process, asked func() int)) {
				t.Helper()
				sent := requests.Load()
				p := start(t, limit, append(args, "--out", out)...)
				disturb(p, func() int { return int(requests.Load() - sent) })
				<-p.ended
				times++
				found := answers(t, path)
				for key, n := range found {
					if n != 1 || want[key] != 1 {
						t.Errorf("%s: %d answers of %s, which the plan has %d times", what, n, key, want[key])
					}
				}
				repeated = int(requests.Load()) - begun - len(found)
				if repeated < 0 || repeated > times*killConcurrency {
					t.Errorf("%s: %d requests have no answer in the journal; %d ran at once\n%s", what, repeated, killConcurrency, p.out.String())
				}
			}
			for kill := range *kills {
				after, moment := rand.IntN(30), time.Duration(rand.IntN(int(3*time.Millisecond)))
				disturbed(fmt.Sprint("kill ", kill), 0, func(p *process, asked func() int) {
					for asked() < after {
						select {
						case <-p.ended:
							return
						case <-time.After(time.Millisecond):
						}
					}
					time.Sleep(moment)
					_ = p.Process.Kill()
				})
			}
			for full := range *kills {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				disturbed(fmt.Sprint("full disk ", full), int(info.Size())+rand.IntN(5000), func(p *process, _ func() int) {
					if code := p.code(); code != exitFailed && len(answers(t, path)) < len(want) || strings.Contains(p.out.String(), "panic") {
						t.Errorf("full disk %d: code %d\n%s", full, code, p.out.String())
					}
				})
			}
			if p := start(t, 0, append(args, "--out", out, "--force")...); p.code() != exitDone {
				t.Fatalf("the last run: code %d\n%s", p.code(), p.out.String())
			}
			if found := answers(t, path); len(found) != len(want) {
				t.Errorf("answers: -want %d +got %d", len(want), len(found))
			}
			for _, file := range []string{"summary.csv", "summary.json"} {
				if read(t, out, file) != read(t, calm, file) {
					t.Errorf("%s differs from that of an undisturbed run", file)
				}
			}
			t.Logf("%d kills, %d full disks, %d calls, %d repeated", *kills, *kills, len(want), repeated)
		})
	}
}

// A comparison that chooses whom to ask is killed again and again: the journal alone says
// how it goes on, so that it asks nothing twice but for what was open, and ends with the
// verdict of one that nothing disturbed.
func TestKilledUntilDecided(t *testing.T) {
	t.Parallel()
	url, requests := server(t, func(prompt string) (int, string) {
		hash := fnv.New32a()
		hash.Write([]byte(prompt))
		time.Sleep(time.Duration(hash.Sum32()%5) * time.Millisecond) // answers come out of order
		if hash.Sum32()%7 < 3 {
			return http.StatusOK, "no idea"
		}
		return readsTheEnd(prompt)
	})
	for name, more := range map[string][]string{
		"plain": nil, "by kind and no worse": {"--by", "documents", "--no-worse", "5", "--top-k", "2,3"},
	} {
		dir := t.TempDir()
		calm, out := filepath.Join(dir, "calm"), filepath.Join(dir, "out")
		args := append([]string{
			"compare", "--data", retrieved(t, 60+12**kills), "--until-decided", "--worthwhile", "20", "--model", "m", "--base-url", url,
			"--concurrency", strconv.Itoa(killConcurrency), "--force",
		}, more...)
		if p := start(t, 0, append(args, "--out", calm)...); p.code() != exitDone {
			t.Fatalf("%s, undisturbed: code %d\n%s", name, p.code(), p.out.String())
		}
		path := filepath.Join(out, journalName)
		killed, begun := 0, int(requests.Load())
		for kill := range *kills {
			sent := int(requests.Load())
			p := start(t, 0, append(args, "--out", out)...)
			if p.killAfter(1+rand.IntN(40), func() int { return int(requests.Load()) - sent }) {
				killed++
			}
			found := answers(t, path)
			for key, n := range found {
				if n != 1 {
					t.Errorf("%s, kill %d: %d answers of %s", name, kill, n, key)
				}
			}
			if lost := int(requests.Load()) - begun - len(found); lost < 0 || lost > (kill+1)*killConcurrency {
				t.Errorf("%s, kill %d: %d requests have no answer in the journal", name, kill, lost)
			}
		}
		if p := start(t, 0, append(args, "--out", out)...); p.code() != exitDone {
			t.Fatalf("%s, the last run: code %d\n%s", name, p.code(), p.out.String())
		}
		got, want := result(t, out), result(t, calm)
		for i, a := range want.Arms {
			if b := got.Arms[i]; !reflect.DeepEqual(a.Against, b.Against) || a.Full != b.Full {
				t.Errorf("%s, %s (-undisturbed +killed)\n-%+v\n+%+v", name, a.Name, a.Against, b.Against)
			}
		}
		if got.Finding != want.Finding || !reflect.DeepEqual(got.Kinds, want.Kinds) {
			t.Errorf("%s (-undisturbed +killed)\n-%s\n+%s", name, want.Finding, got.Finding)
		}
		t.Logf("%s: %d of %d kills, %d answers, %s", name, killed, *kills, len(answers(t, path)), want.Finding)
	}
}

// A run whose judge has to be asked is killed again and again: no answer and no judgement
// is lost, or asked for twice but for what was open, and the last run reports what one
// reports that nothing disturbed.
func TestKilledJudge(t *testing.T) {
	t.Parallel()
	url, requests := server(t, func(prompt string) (int, string) {
		time.Sleep(2 * time.Millisecond)
		return readsTheEnd(prompt)
	})
	program, lines := scoreCommand(t)
	dir := t.TempDir()
	calm, out := filepath.Join(dir, "calm"), filepath.Join(dir, "out")
	args := []string{"compare", "--data", retrieved(t, 6**kills), "--model", "m", "--base-url", url, "--concurrency", strconv.Itoa(killConcurrency), "--score-command", program, "--force"}
	if p := start(t, 0, append(args, "--out", calm)...); p.code() != exitDone {
		t.Fatalf("undisturbed: code %d\n%s", p.code(), p.out.String())
	}
	// known counts answers, and judgements that were asked for, each once.
	known := func(dir string) (answers, judgements int) {
		t.Helper()
		path := filepath.Join(dir, journalName)
		if _, err := os.Stat(path); err != nil {
			return 0, 0
		}
		seen := map[string]bool{}
		_, err := journal.Read(path, func(r journal.Record) error {
			id := r.Key + " " + r.Of
			if seen[id] || r.Failure != nil {
				t.Errorf("twice, or a failure: %+v", r)
			}
			seen[id] = true
			switch {
			case r.Of == "":
				answers++
			case r.Answer != nil:
				judgements++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return answers, judgements
	}
	wantAnswers, wantJudgements := known(calm)
	begun, judging := int(requests.Load()), len(lines())
	for kill := range 2 * *kills {
		sent, most := int(requests.Load()), (kill+1)*killConcurrency
		p := start(t, 0, append(args, "--out", out)...)
		p.killAfter(1+rand.IntN(20), func() int { return int(requests.Load()) - sent })
		answered, judged := known(out)
		if lost := int(requests.Load()) - begun - answered; lost < 0 || lost > most {
			t.Errorf("kill %d: %d requests have no answer in the journal", kill, lost)
		}
		if lost := len(lines()) - judging - judged; lost < 0 || lost > most {
			t.Errorf("kill %d: %d judgements are not in the journal", kill, lost)
		}
	}
	if p := start(t, 0, append(args, "--out", out)...); p.code() != exitDone {
		t.Fatalf("the last run: code %d\n%s", p.code(), p.out.String())
	}
	if answers, judgements := known(out); answers != wantAnswers || judgements != wantJudgements {
		t.Errorf("(-want +got) -%d answers, %d judgements +%d, %d", wantAnswers, wantJudgements, answers, judgements)
	}
	if got, want := result(t, out), result(t, calm); !reflect.DeepEqual(got.Arms, want.Arms) || got.Finding != want.Finding {
		t.Errorf("(-undisturbed +killed)\n-%s\n+%s", want.Finding, got.Finding)
	}
}

// A curve of traffic is killed, or finds the disk full, at any moment: each of its files
// is whole or not there, and the record is as it was.
func TestKilledCurve(t *testing.T) {
	t.Parallel()
	traffic := recorded(t, 1500, monday, nil)
	record := read(t, traffic)
	calm, out := filepath.Join(t.TempDir(), "calm"), filepath.Join(t.TempDir(), "out")
	args := []string{"curve", "--traffic", traffic}
	begun := time.Now()
	if p := start(t, 0, append(args, "--out", calm)...); p.code() != exitDone {
		t.Fatalf("undisturbed: code %d\n%s", p.code(), p.out.String())
	}
	took := time.Since(begun)
	want := map[string]string{}
	for _, name := range private(t, calm) {
		want[name] = read(t, calm, name)
	}
	whole := func(what string) (files int) {
		t.Helper()
		for name, text := range want {
			data, err := os.ReadFile(filepath.Join(out, name))
			if err == nil && string(data) != text {
				t.Errorf("%s: %s is not whole", what, name)
			}
			if err == nil {
				files++
			}
		}
		if read(t, traffic) != record {
			t.Fatalf("%s: the record is another", what)
		}
		return files
	}
	for kill := range *kills {
		p := start(t, 0, append(args, "--out", out)...)
		time.Sleep(took/2 + time.Duration(rand.Int64N(int64(took))))
		_ = p.Process.Kill()
		<-p.ended
		whole(fmt.Sprint("kill ", kill))
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		p = start(t, 1+rand.IntN(len(want["traffic.png"])-1), append(args, "--out", out)...)
		if code := p.code(); code != exitFailed || !strings.Contains(p.out.String(), "too large") {
			t.Errorf("full disk %d: code %d\n%s", kill, code, p.out.String())
		}
		if n := whole(fmt.Sprint("full disk ", kill)); n == len(want) {
			t.Errorf("full disk %d: all files were written", kill)
		}
	}
	if p := start(t, 0, append(args, "--out", out)...); p.code() != exitDone || whole("the last run") != len(want) {
		t.Errorf("the last run: code %d\n%s", p.code(), p.out.String())
	}
}

// The end of a sweep by SIGTERM while it asks is no failure.
func TestTerminated(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	url, _ := server(t, func(string) (int, string) {
		asked <- struct{}{}
		time.Sleep(20 * time.Millisecond)
		return http.StatusOK, "Paris"
	})
	p := start(t, 0, "sweep", "--data", questions(t, 8), "--model", "m", "--base-url", url, "--out", filepath.Join(t.TempDir(), "out"), "--concurrency", "1")
	<-asked
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if p.code() != exitIncomplete || !strings.Contains(p.out.String(), "interrupted with") {
		t.Errorf("code %d, want %d\n%s", p.code(), exitIncomplete, p.out.String())
	}
}

// Whoever reads two lines of the output and goes, as head does, finds all files.
func TestAReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	text, err := json.Marshal([]string{"sweep", "--simulate", "u", "--documents", "5", "--limit", "20", "--out", out})
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	p := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	p.Env, p.Stdout = append(os.Environ(), childArgs+"="+string(text)), write
	if err := p.Run(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	write.Close()
	for _, name := range reportFiles {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}
