package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/grade"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
)

// graders are the flags for a judge that has to be asked.
type graders struct {
	ScoreCommand     string   `group:"What counts as right" placeholder:"CMD" help:"A program of yours judges: it reads {\"id\",\"question\",\"documents\",\"answer\",\"references\"} as a line of JSON from its standard input, and writes {\"id\",\"score\"} with a score of 0 to 1 as one. A shell runs it, once for the whole run. docs/scoring.md tells more."`
	JudgeModel       string   `group:"What counts as right" placeholder:"NAME" help:"A model judges, by chat: its name on the server of --judge-url."`
	JudgeURL         string   `group:"What counts as right" name:"judge-url" placeholder:"URL" help:"Its OpenAI-compatible server, as for --base-url. The key comes from JUDGE_API_KEY."`
	JudgePrompt      string   `group:"What counts as right" placeholder:"FILE" help:"What it is told, with {{question}}, {{answer}}, {{references}} and {{documents}} where those are to stand. It must end its answer with a score of 0 to 1 on a line of its own."`
	JudgeMaxTokens   int      `group:"What counts as right" default:"500" help:"The most tokens of a judgement."`
	JudgeParams      string   `group:"What counts as right" placeholder:"JSON" help:"Further parameters for it, as for --params."`
	JudgeHeader      []string `group:"What counts as right" placeholder:"NAME=VALUE" sep:"none" help:"A further header for it, as for --header."`
	JudgePricePrompt float64  `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens that the judge reads."`
	JudgePriceAnswer float64  `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens that the judge writes."`
}

func (g graders) asks() bool { return g.ScoreCommand != "" || g.JudgeModel != "" }

func (g graders) prices() model.Prices {
	return model.Prices{Prompt: g.JudgePricePrompt, Completion: g.JudgePriceAnswer}
}

// check looks at what the flags mean together.
func (g graders) check(e *experiment) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, usage(format, args...)) }
	judges := 0
	for _, given := range []bool{e.Score != "", g.ScoreCommand != "", g.JudgeModel != ""} {
		if given {
			judges++
		}
	}
	if judges > 1 {
		fault("an answer is judged by one: give --score, --score-command or --judge-model")
	}
	if g.JudgeModel == "" {
		for _, n := range []struct {
			flag  string
			given bool
		}{
			{"judge-url", g.JudgeURL != ""},
			{"judge-prompt", g.JudgePrompt != ""},
			{"judge-params", g.JudgeParams != ""},
			{"judge-header", g.JudgeHeader != nil},
			{"judge-price-prompt", g.JudgePricePrompt != 0},
			{"judge-price-answer", g.JudgePriceAnswer != 0},
		} {
			if n.given {
				fault("--%s is for a model that judges: give --judge-model, too", n.flag)
			}
		}
		return faults
	}
	if g.JudgeURL == "" && !e.DryRun {
		fault("--judge-url is missing: name the server of --judge-model")
	}
	if g.JudgePrompt == "" {
		fault("--judge-prompt is missing: write what --judge-model is told into a file, with {{question}}, {{references}} and {{answer}}")
	}
	for _, n := range []struct {
		flag  string
		value float64
	}{{"judge-price-prompt", g.JudgePricePrompt}, {"judge-price-answer", g.JudgePriceAnswer}} {
		if !(n.value >= 0) || math.IsInf(n.value, 0) {
			fault("--%s is %v: it must be 0 or more, and finite", n.flag, n.value)
		}
	}
	return append(faults, countFlag{"judge-max-tokens", g.JudgeMaxTokens, 1, model.MaxTokens}.check())
}

// grading is the judge of the flags; the zero value where a scorer judges.
type grading struct {
	judge.Grader
	prices model.Prices
	close  func()
}

// grader starts the judge of the flags. What it returns must be closed.
func (e *experiment) grader(s streams) (g grading, err error) {
	g = grading{prices: e.graders.prices(), close: func() {}}
	switch {
	case e.ScoreCommand != "" && !e.DryRun:
		command, err := grade.Start(grade.Program{Args: shell(e.ScoreCommand), Name: e.ScoreCommand, FirstLine: e.FirstLine, Timeout: e.Timeout})
		if err != nil {
			return g, usage("--score-command: %w", err)
		}
		g.Grader, g.close = command, command.Close
	case e.JudgeModel != "":
		if g.Grader, err = e.judgeModel(s); err != nil {
			return g, err
		}
	}
	return g, nil
}

// judgeModel makes the client of --judge-model.
func (e *experiment) judgeModel(s streams) (judge.Grader, error) {
	told, err := readText("judge-prompt", e.JudgePrompt)
	if err != nil {
		return nil, err
	}
	m := grade.Model{Name: e.JudgeModel, Prompt: told, FirstLine: e.FirstLine, Params: model.Params{MaxTokens: e.JudgeMaxTokens}}
	if m.Params.Extra, err = parseParams("judge-params", e.JudgeParams); err != nil {
		return nil, err
	}
	headers, err := parseHeaders(s, "judge-header", e.JudgeHeader)
	if err != nil {
		return nil, err
	}
	if e.DryRun {
		m.Model = model.Func(nil) // it is not asked
	} else {
		m.Model, m.Server, err = newClient(openai.Config{
			BaseURL: e.JudgeURL, Headers: headers, Key: openai.NewKey(s.getenv("JUDGE_API_KEY")), AllowPlainKey: e.PlainKey,
			Model: e.JudgeModel, MaxTokens: e.JudgeMaxTokens, Extra: []byte(e.JudgeParams), Timeout: e.Timeout, Connections: e.Concurrency,
		})
		if err != nil {
			return nil, fmt.Errorf("the judge: %w", err)
		}
	}
	return grade.New(m)
}

// describe says who judges; nil where a scorer does.
func (g grading) describe() *judge.Description {
	if g.Grader == nil {
		return nil
	}
	d := g.Describe()
	return &d
}

// of returns the model with its judge. Without a model only what is answered is judged.
func (g grading) of(m model.Model) model.Model {
	if g.Grader == nil {
		return m
	}
	return run.Judged{Model: m, Grader: g.Grader, Prices: g.prices}
}

// judgedCalls is how many calls foresee looks at.
const judgedCalls = 200

// foresee says what judging would take at most, beside the calls, and adds it to them.
func (e *experiment) foresee(s streams, source run.Source, g grading, all run.Estimate) (run.Estimate, error) {
	if !e.asks() {
		return all, nil
	}
	judging := run.Estimate{Calls: all.Calls, Questions: all.Questions, Read: all.Questions, Priced: g.prices != model.Prices{}}
	text := show.Count(judging.Calls, "call")
	if e.JudgeModel != "" {
		looked := min(source.Len(), judgedCalls)
		most := model.Usage{}
		for i := range looked {
			call, err := source.Call(i)
			if err != nil {
				return all, err
			}
			ask, err := g.Call(judge.Query{Question: call.Asked, Documents: call.Shown, References: call.Answers})
			if err != nil {
				return all, err
			}
			most.Add(model.Usage{Prompt: ask.Tokens + call.MaxTokens, Completion: ask.MaxTokens})
		}
		scale := float64(all.Calls) / float64(max(looked, 1))
		judging.Usage = model.Usage{Prompt: int(float64(most.Prompt) * scale), Completion: int(float64(most.Completion) * scale)}
		judging.Cost = g.prices.Cost(judging.Usage)
		text = judging.String()
	}
	by := judge.Description{Command: e.ScoreCommand}
	if g.Grader != nil {
		by = g.Describe()
	}
	tell(s.out, fmt.Sprintf("Judged by %s: at most %s", by, text))
	return sum(all, judging), nil
}

// judgeBatch has judged what a batch has brought, unless reading it failed with err.
func (e *experiment) judgeBatch(ctx context.Context, s streams, g grading, err error, same func(string) error, calls int, run func(*journal.Journal, run.Limits) (run.Progress, error)) error {
	if incomplete := (*incompleteError)(nil); g.Grader == nil || err != nil && !errors.As(err, &incomplete) {
		return err
	}
	if failed := e.ask(ctx, s, e.Out, same, calls, run); failed != nil {
		return failed
	}
	return err
}

// shell returns the arguments that let the system's shell run a command.
func shell(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C", command}
	}
	return []string{"sh", "-c", command}
}
