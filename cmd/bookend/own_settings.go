package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// own are the settings of --settings. What changes no prompt of the experiment at hand is
// refused by name, so that nobody measures what was not asked.
type own struct {
	path   string // "" without settings
	file   settings.Settings
	order  core.Config
	prompt prompt.Config
	given  map[string]any // each key that says something, such as "order.keys.id"
	faults []error
}

// readSettings reads a file as every program with Bookend does, but for the environment.
// Without one it returns the prompt that is used then.
func readSettings(path string, without prompt.Config) (*own, error) {
	o := &own{path: path, prompt: without}
	if path == "" {
		return o, nil
	}
	var err error
	if o.file, err = settings.Load(path, nil); err != nil {
		return nil, &usageError{err}
	}
	if o.order, o.prompt, err = o.file.Configs(); err != nil {
		return nil, usage("--settings %s: %w", path, err)
	}
	text, err := json.Marshal(o.file)
	if err != nil {
		return nil, usage("--settings %s: %w", path, err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, usage("--settings %s: %w", path, err)
	}
	delete(all, "$schema")
	delete(all, "note")
	o.given = map[string]any{}
	flatten(o.given, "", all)
	o.idle("every question is asked by the settings outside of it", "by", "kinds")
	return o, nil
}

// flatten names the values of an object by their paths. A placement is a value.
func flatten(to map[string]any, prefix string, object map[string]any) {
	for name, value := range object {
		path := prefix + name
		if inner, ok := value.(map[string]any); ok && path != "order.placement" {
			flatten(to, path+".", inner)
			continue
		}
		to[path] = value
	}
}

// idle refuses the keys that are given, each for the reason.
func (o *own) idle(reason string, keys ...string) {
	for _, key := range keys {
		if _, given := o.given[key]; given {
			o.faults = append(o.faults, usage("--settings %s: %s changes no prompt: %s; leave it out", o.path, key, reason))
		}
	}
}

// once refuses what a flag and a key both say.
func (o *own) once(flag string, set bool, key string) {
	if set {
		o.idle("--"+flag+" says it already", key)
	}
}

// show refuses the fields that no document has.
func (o *own) show(has ...string) {
	for _, field := range o.prompt.Show {
		if !slices.Contains(has, field) {
			o.faults = append(o.faults, usage("--settings %s: %q in prompt.show changes no prompt: the documents have no more than %s; leave it out", o.path, field, strings.Join(slices.Compact(has), ", ")))
		}
	}
}

// words refuses the words that none of the layouts shows, those of --instruction among
// them, and a layout whose places for a task and a reminder have nothing to show. flag
// names the layouts, where one does.
func (o *own) words(flag string, layouts []prompt.Layout, instruction bool) {
	shown := map[prompt.Part]bool{}
	names := make([]string, len(layouts))
	for i, l := range layouts {
		parts, err := l.Parts()
		if err != nil {
			return // it is refused with the plan
		}
		var empty []string
		places := 0
		for _, part := range parts {
			shown[part] = true
			if text, is := map[prompt.Part]string{prompt.PartTask: o.prompt.Task, prompt.PartReminder: o.prompt.Reminder}[part]; is {
				if places++; text == "" {
					empty = append(empty, "prompt."+string(part))
				}
			}
		}
		names[i] = cmp.Or(string(l), string(prompt.QuestionLast))
		if places > 0 && len(empty) == places {
			o.faults = append(o.faults, usage("%s %s has a place for a task or a reminder, and nothing fills it: give %s by --settings, or leave them out, as question-last does", flag, names[i], strings.Join(empty, " and ")))
		}
	}
	none := "no layout here shows it (" + strings.Join(names, ", ") + ")"
	if !shown[prompt.PartRules] {
		o.idle(none, "prompt.rules")
	}
	if !shown[prompt.PartReminder] {
		o.idle(none, "prompt.reminder")
	}
	switch {
	case shown[prompt.PartTask]:
	case !shown[prompt.PartInstruction]:
		o.idle(none, "prompt.task")
	case o.prompt.Instruction != "" || instruction:
		o.idle("the layouts here ("+strings.Join(names, ", ")+") show the instruction in its place", "prompt.task")
	}
	if !shown[prompt.PartInstruction] {
		o.idle(none, "prompt.instruction")
		if instruction {
			o.faults = append(o.faults, usage("--instruction changes no prompt: %s; leave it out", none))
		}
	}
}

// refused returns all that was refused.
func (o *own) refused() error {
	slices.SortFunc(o.faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(o.faults...)
}

// forSweep refuses what changes no prompt of a sweep.
func (o *own) forSweep(c *sweepCommand) error {
	for _, key := range slices.Sorted(maps.Keys(o.given)) {
		if strings.HasPrefix(key, "order.") {
			o.idle("a sweep moves the answer's document itself and keeps all others", key)
		}
	}
	o.idle("a sweep keeps every document", "prompt.budget", "prompt.reserve", "prompt.max_bytes", "prompt.unit", "tokenizer")
	o.idle("the prompts of a sweep are of one size: give the layout that those get, bookend or question-last", "prompt.bookend_from")
	o.idle("a sweep finds the title of a document by itself, and knows no source", "prompt.title_key", "prompt.source_key")
	o.idle("without documents a sweep asks the question alone", "prompt.no_documents")
	if o.prompt.Labels == prompt.ByRank {
		o.idle("a sweep numbers documents by slot", "prompt.labels")
	}
	o.show(cmp.Or(o.prompt.TitleKey, "title"))
	o.once("layout", c.Layout != "", "prompt.layout")
	o.once("format", c.Format != "", "prompt.format")
	o.once("instruction", c.Instruction != "", "prompt.instruction")
	if c.Layout != "" {
		o.prompt.Layout = prompt.Layout(c.Layout)
	}
	if c.Format != "" {
		o.prompt.Format = prompt.Format(c.Format)
	}
	flag := "--layout"
	if c.Layout == "" {
		flag = "--settings " + o.path + ": prompt.layout"
	}
	o.words(flag, []prompt.Layout{o.prompt.Layout}, c.Instruction != "")
	return o.refused()
}

// forComparison refuses what changes no prompt of a comparison.
func (o *own) forComparison(c *compareCommand) error {
	o.idle("--placements says which orders are compared", "order.placement")
	o.idle("the lists have no scores, and stand in the order of their ranks", "order.direction", "order.threshold", "order.threshold_by", "order.keys.score")
	if o.order.Rank == core.ByScore {
		o.idle("the lists have no scores, and stand in the order of their ranks", "order.rank")
	}
	o.idle("the lists mark no document so; order.pins names those that always enter", "order.keys.pin")
	if o.order.Budget == 0 {
		o.idle("it is about order.budget, which is not given", "order.unit", "order.overflow", "order.keep_best")
	}
	counted := o.prompt.Budget > 0 || o.prompt.BookendFrom > 0
	if !counted {
		o.idle("it is about prompt.budget or prompt.bookend_from, which are not given", "prompt.unit", "prompt.max_bytes")
	}
	if (o.order.Budget == 0 || o.order.Unit != "") && (!counted || o.prompt.Unit != "") {
		o.idle("nothing is counted in its tokens: give a budget without a unit", "tokenizer")
	}
	if o.order.Budget == 0 && o.order.MaxBytes == 0 && o.prompt.Budget == 0 {
		o.idle("every list has documents, and nothing leaves all of them out", "prompt.no_documents")
	}
	o.show(cmp.Or(o.prompt.TitleKey, "title"), cmp.Or(o.prompt.SourceKey, "source"), cmp.Or(o.order.Keys.Source, "source"), cmp.Or(o.order.Keys.Position, "position"))
	o.once("layouts", len(c.Layouts) > 0, "prompt.layout")
	o.once("format", c.Format != "", "prompt.format")
	o.once("label-by", c.LabelBy != "", "prompt.labels")
	o.once("instruction", c.Instruction != "", "prompt.instruction")
	o.once("top-k", len(c.TopK) > 0, "order.top_k")
	layouts, flag := []prompt.Layout{o.prompt.Layout}, fmt.Sprintf("--settings %s: prompt.layout", o.path)
	if len(c.Layouts) > 0 {
		layouts, flag = nil, "--layouts"
		for _, l := range c.Layouts {
			layouts = append(layouts, prompt.Layout(l))
		}
	}
	o.words(flag, layouts, c.Instruction != "")
	return o.refused()
}
