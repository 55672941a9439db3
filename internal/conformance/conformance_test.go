package conformance

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// rules that a case can hold; the last of the twelve is about the documentation.
const rules = 11

func TestEveryRuleHasACase(t *testing.T) {
	held := map[int]int{}
	names := map[string]bool{}
	note := func(rule int, name string) {
		held[rule]++
		if names[name] {
			t.Errorf("two cases have the name %q", name)
		}
		names[name] = true
	}
	for _, c := range cases[struct{}]() {
		note(c.rule, c.name)
	}
	for _, c := range wrapperCases {
		note(c.rule, c.name)
	}
	for rule := 1; rule <= rules; rule++ {
		if held[rule] == 0 {
			t.Errorf("no case holds rule %d", rule)
		}
	}
	for rule := range held {
		if rule < 1 || rule > 12 {
			t.Errorf("a case holds rule %d, which does not exist", rule)
		}
	}
}

func TestTheRulesAreWrittenDown(t *testing.T) {
	data, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, match := range regexp.MustCompile(`(?m)^(\d+)\. \*\*`).FindAllStringSubmatch(string(data), -1) {
		numbers = append(numbers, match[1])
	}
	if got, want := strings.Join(numbers, " "), "1 2 3 4 5 6 7 8 9 10 11 12"; got != want {
		t.Errorf("docs/rules.md numbers its rules (-want +got)\n-%s\n+%s", want, got)
	}
}
