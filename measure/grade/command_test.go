package grade

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// childMode makes the test binary a program that judges.
const childMode = "BOOKEND_TEST_GRADE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		child(mode)
		return
	}
	os.Exit(m.Run())
}

// child scores an answer by the number in it, and misbehaves as its mode says.
func child(mode string) {
	if mode == "deaf" {
		time.Sleep(time.Minute)
	}
	lines := bufio.NewReader(os.Stdin)
	for n := 1; ; n++ {
		text, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var q struct {
			ID int
			judge.Query
		}
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
		switch mode {
		case "good":
			say(`{"id":%d,"score":%s,"why":"%d documents, %d references"}`, q.ID, q.Answer, len(q.Documents), len(q.References))
		case "no id":
			say(`{"score":1}`)
		case "other id":
			say(`{"id":%d,"score":1}`, q.ID+1)
		case "remark":
			say("loading the model…")
		case "twice":
			fmt.Print("{\"score\":1}\n{\"score\":1}\n")
		case "later":
			say(`{"score":1}`)
			time.Sleep(20 * time.Millisecond)
			say(`{"score":0}`)
		case "long":
			say("%s", strings.Repeat("x", maxVerdict+1))
		case "silent":
		case "no score":
			say(`{"mark":1}`)
		case "text":
			say(`{"score":"1"}`)
		case "1.5":
			say(`{"score":1.5}`)
		case "-0.1":
			say(`{"score":-0.1}`)
		case "null":
			say(`null`)
		case "dies":
			fmt.Fprintln(os.Stderr, strings.Repeat("noise\n", 2000)+"Traceback:\nKeyError: 'gold' in "+q.Question)
			os.Exit(3)
		case "dies at the second":
			if n == 2 {
				os.Exit(0)
			}
			say(`{"score":0.25}`)
		case "missing":
			fmt.Fprintln(os.Stderr, "sh: nosuch: not found")
			os.Exit(notFound)
		case "torn":
			fmt.Print(`{"score":0.`)
			return
		}
	}
}

func started(t *testing.T, mode string, timeout time.Duration) *Command {
	t.Helper()
	t.Setenv(childMode, mode)
	c, err := Start(Program{Args: []string{os.Args[0]}, Name: "score", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, c *Command, answer string) (float64, error) {
	t.Helper()
	call, err := c.Call(judge.Query{Question: "Who? <b>", Answer: answer, References: []string{"Ada"}, Documents: []model.Document{{Text: "one"}, {Title: "T", Text: "two"}}})
	if err != nil {
		t.Fatal(err)
	}
	score, _, err := c.Grade(t.Context(), call.Prompt)
	return score, err
}

func TestCommand(t *testing.T) {
	c := started(t, "good", time.Minute)
	pid := c.live.command.Process.Pid
	for _, answer := range []string{"0", "1", "0.25", "1e-3"} {
		if score, err := ask(t, c, answer); err != nil || fmt.Sprint(score) != strings.Replace(answer, "1e-3", "0.001", 1) {
			t.Errorf("%s: %v, %v", answer, score, err)
		}
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Add(1)
		go func() {
			defer all.Done()
			want := float64(i) / 100
			if score, err := ask(t, c, fmt.Sprint(want)); err != nil || score != want {
				t.Errorf("%v at once: %v, %v", want, score, err)
			}
		}()
	}
	all.Wait()
	if c.live.command.Process.Pid != pid {
		t.Error("another process than the first has judged")
	}
	if c.String() != `the command "score"` || c.Describe().ID() == (judge.Description{Command: "other"}).ID() {
		t.Error(c, c.Describe())
	}
}

// The words of the program and its documents reach it as they are.
func TestCommandQuery(t *testing.T) {
	c := started(t, "good", time.Minute)
	call, err := c.Call(judge.Query{Question: "Who? <b>", Answer: "a\nb"})
	if want := `{"question":"Who? <b>","documents":[],"answer":"a\nb","references":[]}`; err != nil || call.Prompt.Text != want || call.Tokens != 0 {
		t.Errorf("(-want +got)\n-%s\n+%s %v", want, call.Prompt.Text, err)
	}
	same, _ := c.Call(judge.Query{Question: "Who? <b>", Answer: "a\nb"})
	other, _ := c.Call(judge.Query{Question: "Who? <b>", Answer: "a"})
	if call.Key != same.Key || call.Key == other.Key {
		t.Error("the keys of two answers", call.Key, same.Key, other.Key)
	}
	if _, err := c.Call(judge.Query{Answer: strings.Repeat("x", maxQuery)}); err == nil || !strings.Contains(err.Error(), "16777216 are allowed") {
		t.Error("a line that is too long:", err)
	}
}

// Whatever a program does but give one score for one line is an error, and the next line
// is judged by a fresh process.
func TestCommandMisbehaves(t *testing.T) {
	for mode, want := range map[string]struct {
		words string
		again bool
	}{
		"other id": {`the command "score" answered the line with the id 2, where 1 was asked`, false},
		"remark":   {`wrote "loading the model…", which is not JSON of the form {"score":0.5}; remarks belong on its standard error`, false},
		"twice":    {"wrote more than one line for the one that it read", false},
		"long":     {"wrote a line of more than 1048576 bytes", false},
		"silent":   {"gave no score in 100ms", true},
		"deaf":     {"gave no score in 100ms", true},
		"no score": {`wrote "{\"mark\":1}", which has no "score" of 0 to 1`, false},
		"text":     {"which is not JSON of the form", false},
		"1.5":      {`has no "score" of 0 to 1`, false},
		"-0.1":     {`has no "score" of 0 to 1`, false},
		"null":     {`has no "score" of 0 to 1`, false},
		"dies":     {`ended with: exit status 3; its last words: "`, true},
		"missing":  {`ended with: exit status 127; its last words: "sh: nosuch: not found"`, false},
		"torn":     {"which is not JSON", false},
	} {
		t.Run(mode, func(t *testing.T) {
			timeout := time.Minute
			if want.again && mode != "dies" {
				timeout = 100 * time.Millisecond
			}
			c := started(t, mode, timeout)
			answer := "1"
			if mode == "deaf" {
				answer = strings.Repeat("x", 1<<20) // more than a pipe holds
			}
			for range 2 {
				score, err := ask(t, c, answer)
				e := (*model.Error)(nil)
				if score != 0 || !errors.As(err, &e) || !strings.Contains(err.Error(), strings.Replace(want.words, "id 2, where 1", "id", 1)) && !strings.Contains(err.Error(), want.words) || model.Retryable(err) != want.again {
					t.Errorf("%v, %v, retryable %v", score, err, model.Retryable(err))
				}
				if mode == "other id" {
					break // the second one has the id 2
				}
				if mode == "dies" && !strings.Contains(err.Error(), "KeyError: 'gold'") {
					t.Error("its last words are missing:", err)
				}
				if c.live != nil {
					t.Fatal("the process lives on")
				}
			}
		})
	}
}

// A line that comes when nobody has asked is not taken for the answer to the next.
func TestCommandUnaskedLine(t *testing.T) {
	c := started(t, "later", time.Minute)
	if score, err := ask(t, c, "1"); score != 1 || err != nil {
		t.Fatal(score, err)
	}
	time.Sleep(time.Second) // it comes within a fraction of that
	if _, err := ask(t, c, "1"); !errors.Is(err, errUnasked) {
		t.Error(err)
	}
	if score, err := ask(t, c, "1"); score != 1 || err != nil {
		t.Error("after that:", score, err)
	}
}

func TestCommandIsStartedAgain(t *testing.T) {
	c := started(t, "dies at the second", time.Minute)
	var got []string
	for range 4 {
		score, err := ask(t, c, "1")
		got = append(got, fmt.Sprint(score, err != nil))
	}
	if want := "0.25 false,0 true,0.25 false,0 true"; strings.Join(got, ",") != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, strings.Join(got, ","))
	}
}

func TestCommandEnds(t *testing.T) {
	c := started(t, "silent", time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := c.Grade(ctx, model.User(`{"question":""}`)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	c.Close()
	if _, _, err := c.Grade(t.Context(), model.User("{}")); err == nil || model.Retryable(err) || !strings.Contains(err.Error(), "is closed") {
		t.Error(err)
	}
	for _, p := range []Program{{}, {Args: []string{""}}, {Args: []string{"x"}, Timeout: -1}} {
		if _, err := Start(p); !errors.As(err, new(*core.ConfigError)) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := Start(Program{Args: []string{"/no/such/program"}}); err == nil || !strings.Contains(err.Error(), `the command "/no/such/program" cannot be started`) {
		t.Error(err)
	}
}
