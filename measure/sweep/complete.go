package sweep

import (
	"errors"
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/model"
)

// complete fills in the defaults and returns every fault.
func (s *Settings) complete(report dataset.Report) error {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if s.Model == "" {
		fault("Model", s.Model, "must name the model")
	}
	if report.WithoutGold > 0 || report.ManyGolds > 0 {
		fault("dataset", report.Path, "a sweep moves the one gold document of each case: open lists with Rules.OneGold")
	}
	if s.Documents == 0 {
		s.Documents = report.MinDocuments
	}
	switch {
	case s.Documents < 2:
		fault("Documents", s.Documents, "a sweep needs 2 or more")
	case s.Documents > report.MinDocuments:
		fault("Documents", s.Documents, fmt.Sprintf("a case has only %d; open the dataset with Rules.MinDocuments to leave such cases out", report.MinDocuments))
	case s.Slots == nil:
		s.Slots = slot.All(s.Documents)
	default:
		if err := slot.Check(s.Documents, s.Slots); err != nil {
			faults = append(faults, err)
		}
	}
	switch {
	case s.Questions < 0:
		fault("Questions", s.Questions, "must be 0, for all, or more")
	case s.Questions == 0 || s.Questions > report.Kept:
		s.Questions = report.Kept
	}
	if s.Repeats < 0 || s.Repeats > 1000 {
		fault("Repeats", s.Repeats, "must be 0 to 1000; leave ArmRepeat out by Without")
	} else if s.Repeats == 0 {
		s.Repeats = DefaultRepeats
	}
	for _, name := range s.Without {
		if name != ArmClosedBook && name != ArmOracle && name != ArmRepeat {
			fault("Without", name, "the arms that can be left out are closed-book, oracle and repeat")
		}
	}
	if t := s.Params.Temperature; !(t >= 0) || math.IsInf(t, 0) {
		fault("Params.Temperature", t, "must be finite and 0 or more")
		s.Params.Temperature = 0
	}
	if s.Params.MaxTokens == 0 {
		s.Params.MaxTokens = model.DefaultMaxTokens
	}
	if s.Params.MaxTokens > model.MaxTokens {
		fault("Params.MaxTokens", s.Params.MaxTokens, fmt.Sprintf("must be %d at most", model.MaxTokens))
	}
	s.Params.MaxTokens = max(s.Params.MaxTokens, 0)
	if s.Count == nil {
		s.Count = model.EstimateTokens
	}
	if _, err := model.CallKey(s.Model, s.Params, model.Prompt{}, 0); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
