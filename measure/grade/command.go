package grade

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/internal/safetext"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// DefaultTimeout is what Program takes for zero.
const DefaultTimeout = time.Minute

// Bounds of what a program is told and tells.
const (
	maxQuery   = 16 << 20 // bytes of a line to the program
	maxVerdict = 1 << 20  // bytes of a line from it
	maxWords   = 2 << 10  // bytes of its errors that are kept
	closing    = 2 * time.Second
)

// Program says which program judges.
type Program struct {
	// Args are the program and its arguments.
	Args []string
	// Name stands for it in journals and reports, and in the ID. Empty: Args, joined by spaces. A program
	// that judges otherwise than before needs another name.
	Name string
	// FirstLine judges the first line of each answer, not all of it.
	FirstLine bool
	// Timeout bounds one judgement. 0: DefaultTimeout.
	Timeout time.Duration
}

// Command is a program that judges: a judge.Grader, safe for concurrent use. One process
// serves all calls, one at a time: it reads a line of JSON, a judge.Query with an "id",
// from its standard input, and writes a line of JSON with the score to its standard
// output:
//
//	{"id":7,"question":"…","documents":[{"title":"…","text":"…"}],"answer":"…","references":["…"]}
//	{"id":7,"score":0.5}
//
// The id may be left out of what it writes; where it stands there it must be that of the
// line it answers. Other keys mean nothing here, and are journaled. What it writes to
// its standard error is for people, and its last words there stand in errors. A line
// that is no such score, more than one line, none in time and the end of the process are
// errors; the next call then starts the process anew, so that no line is taken for the
// answer to another. Another try is worth it only where the process ended or
// gave no answer in time.
type Command struct {
	program     Program
	description judge.Description

	turn   chan struct{} // has one token: whoever takes it may use what follows
	live   *process      // nil: none runs
	next   int           // the id of the next line
	closed bool
}

var _ judge.Grader = (*Command)(nil)

// Start starts the program. The error is a *core.ConfigError, or says why the program
// cannot be started. Close ends it.
func Start(p Program) (*Command, error) {
	if len(p.Args) == 0 || p.Args[0] == "" {
		return nil, &core.ConfigError{Field: "Args", Value: p.Args, Rule: "must name a program"}
	}
	if p.Timeout < 0 {
		return nil, &core.ConfigError{Field: "Timeout", Value: p.Timeout, Rule: "must not be negative; 0 is the default"}
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	if p.Name == "" {
		p.Name = strings.Join(p.Args, " ")
	}
	c := &Command{program: p, description: judge.Description{Command: p.Name, FirstLine: p.FirstLine}, turn: make(chan struct{}, 1), next: 1}
	var err error
	if c.live, err = start(p.Args); err != nil {
		return nil, fmt.Errorf("bookend: the command %q cannot be started: %w", p.Name, err)
	}
	c.turn <- struct{}{}
	return c, nil
}

// Close closes the standard input of the process, which is to end then; after two seconds
// it is killed. Calls fail from then on.
func (c *Command) Close() {
	<-c.turn
	if c.live != nil {
		_ = c.live.end(closing) // it has judged, however it ends
	}
	c.live, c.closed = nil, true
	c.turn <- struct{}{}
}

// Describe implements judge.Grader.
func (c *Command) Describe() judge.Description { return c.description }

// String names the command.
func (c *Command) String() string { return c.description.String() }

// Call implements judge.Grader. The prompt is the line without its id; it counts no
// tokens.
func (c *Command) Call(q judge.Query) (model.Call, error) {
	if q.Documents == nil {
		q.Documents = []model.Document{}
	}
	if q.References == nil {
		q.References = []string{}
	}
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(q); err != nil {
		return model.Call{}, err
	}
	if line.Len() > maxQuery {
		return model.Call{}, fmt.Errorf("bookend: a question with its documents has %d bytes as a line of JSON, and %d are allowed", line.Len(), maxQuery)
	}
	// The parts as they are, so that an error that repeats one of them is found out.
	asked := model.Prompt{Text: strings.TrimSuffix(line.String(), "\n")}
	for _, text := range append([]string{q.Question, q.Answer}, q.References...) {
		asked.Messages = append(asked.Messages, prompt.Message{Text: text})
	}
	for _, d := range q.Documents {
		asked.Messages = append(asked.Messages, prompt.Message{Text: d.Text})
	}
	key, err := model.CallKey(c.description.ID(), model.Params{Completion: true}, asked, 0)
	return model.Call{Key: key, Prompt: asked}, err
}

// Grade implements judge.Grader. It waits for its turn as long as ctx lasts.
func (c *Command) Grade(ctx context.Context, p model.Prompt) (float64, model.Answer, error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return 0, model.Answer{}, ctx.Err()
	}
	defer func() { c.turn <- struct{}{} }()
	if c.closed {
		return 0, model.Answer{}, &model.Error{Permanent: true, Err: fmt.Errorf("%s is closed", c)}
	}
	if c.live == nil {
		var err error
		if c.live, err = start(c.program.Args); err != nil {
			return 0, model.Answer{}, &model.Error{Permanent: true, Err: fmt.Errorf("%s cannot be started: %w", c, err)}
		}
	}
	id := c.next
	c.next++
	text, err := c.live.ask(ctx, fmt.Sprintf(`{"id":%d,%s`+"\n", id, strings.TrimPrefix(p.Text, "{")), c.program.Timeout)
	score := 0.0
	if err == nil {
		score, err = verdict(text, id)
	}
	if err == nil {
		return score, model.Answer{Text: string(text)}, nil
	}
	died := errors.Is(err, io.EOF)
	ended := c.live.end(map[bool]time.Duration{true: closing}[died])
	words := c.live.errors.String()
	c.live = nil
	if ctx.Err() != nil {
		return 0, model.Answer{}, ctx.Err()
	}
	if died {
		err = ended
	}
	if words != "" {
		err = fmt.Errorf("%w; its last words: %s", err, shown(words))
	}
	again := died || errors.Is(err, errLate)
	if exit := (*exec.ExitError)(nil); errors.As(ended, &exit) && (exit.ExitCode() == notExecutable || exit.ExitCode() == notFound) {
		again = false
	}
	return 0, model.Answer{}, &model.Error{Permanent: !again, Err: fmt.Errorf("%s %w", c, err)}
}

// How a shell ends that cannot run its command.
const notExecutable, notFound = 126, 127

// verdict reads the score of a line.
func verdict(line []byte, id int) (float64, error) {
	var v struct {
		ID    *int     `json:"id"`
		Score *float64 `json:"score"`
	}
	switch err := json.Unmarshal(line, &v); {
	case err != nil:
		return 0, fmt.Errorf("wrote %s, which is not JSON of the form {\"score\":0.5}; remarks belong on its standard error", shown(string(line)))
	case v.ID != nil && *v.ID != id:
		return 0, fmt.Errorf("answered the line with the id %d, where %d was asked", *v.ID, id)
	case v.Score == nil || !(*v.Score >= 0 && *v.Score <= 1):
		return 0, fmt.Errorf("wrote %s, which has no \"score\" of 0 to 1", shown(string(line)))
	}
	return *v.Score, nil
}

// shown is a text in one line, in quotes, and not too long.
func shown(text string) string { return fmt.Sprintf("%q", safetext.Error(errors.New(text), 200)) }

// process is a running program.
type process struct {
	command *exec.Cmd
	input   io.WriteCloser
	lines   chan line // closed at the end of the output
	broken  error     // why it was closed; nil for the end
	errors  *tail
	done    chan struct{} // closed: nobody reads lines
}

func start(args []string) (*process, error) {
	p := &process{command: exec.Command(args[0], args[1:]...), lines: make(chan line), errors: &tail{}, done: make(chan struct{})}
	alone(p.command)
	p.command.Stderr = p.errors
	p.command.WaitDelay = closing // children of it may hold on to its pipes
	input, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.input = input
	go p.read(output)
	return p, nil
}

// line is one that the process wrote; more says that another came with it.
type line struct {
	text []byte
	more bool
}

// read passes lines on until the output ends, or until nobody takes them.
func (p *process) read(output io.Reader) {
	defer close(p.lines)
	reader := bufio.NewReaderSize(output, maxVerdict)
	for {
		text, err := reader.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			p.broken = fmt.Errorf("wrote a line of more than %d bytes", maxVerdict)
			return
		}
		if len(text) > 0 {
			text = bytes.Clone(text) // before Peek overwrites it
			rest, _ := reader.Peek(reader.Buffered())
			select {
			case p.lines <- line{text, len(bytes.TrimSpace(rest)) > 0}:
			case <-p.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// What a process may do wrong, beside ending.
var (
	errUnasked = errors.New("wrote a line that nobody had asked for: one is expected for each line that it reads, and remarks belong on its standard error")
	errLate    = errors.New("gave no score")
	errMore    = errors.New("wrote more than one line for the one that it read: remarks belong on its standard error")
)

// ask writes one line and waits for one. io.EOF says that the process has ended, or
// takes no input.
func (p *process) ask(ctx context.Context, query string, timeout time.Duration) ([]byte, error) {
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case _, open := <-p.lines:
		if open {
			return nil, errUnasked
		}
		return nil, p.closed()
	default:
	}
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.input, query)
		written <- err
	}()
	for {
		select {
		case err := <-written:
			if err != nil {
				return nil, io.EOF
			}
			written = nil // and wait for the line
		case got, open := <-p.lines:
			switch {
			case !open:
				return nil, p.closed()
			case got.more:
				return nil, errMore
			}
			return bytes.TrimSpace(got.text), nil
		case <-late.C:
			return nil, fmt.Errorf("%w in %v", errLate, timeout)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *process) closed() error {
	if p.broken != nil {
		return p.broken
	}
	return io.EOF
}

// end ends the process, which may take that long to end by itself, and says how it
// ended.
func (p *process) end(patience time.Duration) error {
	close(p.done)
	_ = p.input.Close()
	kill := time.AfterFunc(patience, func() { stop(p.command) })
	defer kill.Stop()
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("ended with: %w", err)
	}
	return errors.New("ended")
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(len(t.text)-maxWords, 0):]
	return len(text), nil
}

// String returns the last lines, of 200 bytes or so.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	if cut := len(text) - 200; cut > 0 {
		text = text[cut:]
		if _, rest, found := strings.Cut(text, "\n"); found {
			text = rest
		}
	}
	return strings.ToValidUTF8(text, "")
}
