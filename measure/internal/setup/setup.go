// Package setup lists the exact configuration behind a result.
package setup

import (
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// List is a configuration, in the order in which reports show it.
type List []run.Setting

// Of begins a list with the model that was asked.
func Of(name, server string, params model.Params) List {
	var l List
	l.Add("model", name)
	l.Add("server", server)
	l.Add("parameters", text.JSON(params))
	return l
}

// Add adds a value, unless it is empty.
func (l *List) Add(name, value string) {
	if value != "" {
		*l = append(*l, run.Setting{Name: name, Value: value})
	}
}

// Judging adds by whom and how answers were judged. by is the Grader whose scores the
// judging takes, or nil.
func (l *List) Judging(j judge.Judging, by *judge.Description) {
	l.Add("scorer", j.Scorer.String()+", on the "+j.JudgedBy())
	if by == nil || by.Model == "" {
		return
	}
	l.Add("parameters of the judge", text.JSON(by.Params))
	l.Add("prompt of the judge", by.Prompt)
}
