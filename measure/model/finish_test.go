package model

import "testing"

func TestFinishOf(t *testing.T) {
	t.Parallel()
	for want, reasons := range map[Finish][]string{
		Ended:    {"", "stop", "eos", "end_turn", "tool_calls", "something new", "no error"},
		CutOff:   {"length", "LENGTH", "model_length", "max_tokens", "MAX_TOKENS", "max-tokens", " length "},
		Refused:  {"content_filter", "content-filter", "sensitive", "refusal", "SAFETY", "guardrail_intervened"},
		Unserved: {"error", "ERROR", "abort", "network_error", "insufficient_system_resource"},
	} {
		for _, reason := range reasons {
			if got := FinishOf(reason); got != want {
				t.Errorf("%q: -want %d +got %d", reason, want, got)
			}
		}
	}
}
