package main

import (
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// reusing returns the arms of --reuse, the baseline with a memory each, over lists of so
// many documents.
func (c *compareCommand) reusing(baseline compare.Arm, documents int) ([]compare.Arm, error) {
	if len(c.Reuse) > 0 && baseline.Prompt.Labels != prompt.ByID {
		return nil, usage("--reuse needs labels that stay with a document in every prompt: add --label-by id")
	}
	var before *dataset.Dataset
	if c.ReuseAfter != "" {
		var err error // it stays open until the command ends
		if before, err = (dataset.Rules{Lists: true, Requests: true}).Open(c.ReuseAfter); err != nil {
			return nil, err
		}
	}
	var arms []compare.Arm
	for _, flag := range c.Reuse {
		memory, err := c.memory(flag, documents)
		if err != nil {
			return nil, err
		}
		arm := baseline
		memory.Before = before
		arm.Name, arm.Reuse = "reuse "+strings.TrimSpace(flag), &memory
		arms = append(arms, arm)
	}
	return arms, nil
}

func (c *compareCommand) memory(flag string, documents int) (compare.Reuse, error) {
	bad := usage("--reuse is %q: it must be hold=N, with N of 1 or more, or worth=POINTS, above 0 and at most 100", flag)
	kind, value, _ := strings.Cut(strings.TrimSpace(flag), "=")
	switch kind {
	case "hold":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			return compare.Reuse{Hold: n}, nil
		}
	case "worth":
		points, err := strconv.ParseFloat(value, 64)
		if err != nil || !(points > 0 && points <= 100) {
			return compare.Reuse{}, bad
		}
		if c.ReuseCurve == "" {
			return compare.Reuse{}, usage("--reuse %s needs a curve that says what a slot is worth: give it by --reuse-curve", flag)
		}
		_, fitted, err := readCurve(c.ReuseCurve, documents)
		if err != nil {
			return compare.Reuse{}, err
		}
		return compare.Reuse{Worth: points, Curve: pricing(fitted, c.ReuseCurve)}, nil
	}
	return compare.Reuse{}, bad
}
