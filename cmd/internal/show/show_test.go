package show

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain – ü 漢":     "plain – ü 漢",
		"a\x1b[31mb":      `a\x1b[31mb`,
		"a\nb\tc\r":       `a\nb\tc\x0d`,
		"\u009b2J":        `\x9b2J`,
		"\x9b2J":          `\x9b2J`,
		"a\u202eb\u2066c": `a\u202eb\u2066c`,
		"\ufeffa\u2028b":  `\ufeffa\u2028b`,
		"bad \xff byte":   `bad \xff byte`,
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) (-want +got)\n-%s\n+%s", in, want, got)
		}
	}
	if got := Lines("a\x1b\nb"); got != "a\\x1b\nb" {
		t.Errorf("Lines: %q", got)
	}
}

func TestCell(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "  =1": "'  =1",
		"\t=1": `\t=1`, "＝1": "'＝1",
	} {
		if got := Cell(in); got != want {
			t.Errorf("Cell(%q) (-want +got)\n-%s\n+%s", in, want, got)
		}
	}
}

func TestJSONKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	in := "a\x1b\u009b\u202e\n<ü>"
	text, err := json.MarshalIndent(map[string]string{"k": in}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	safe := JSON(text)
	for _, r := range string(safe) {
		if r != '\n' && obeyed(r) {
			t.Errorf("%q is left in %q", r, safe)
		}
	}
	var back map[string]string
	if err := json.Unmarshal(safe, &back); err != nil || back["k"] != in {
		t.Errorf("%q came back as %q, error %v", in, back["k"], err)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	if got := Cut("ünïx", 3) + Cut("abc", 3); got != "ün…abc" {
		t.Errorf("got %q", got)
	}
}

func TestSigned(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		1.25: "+1.2", -1.26: "−1.3", 0: "0.0", -0.04: "0.0", 0.04: "0.0", math.Inf(1): "+∞", math.Inf(-1): "−∞",
	} {
		if got := Signed(v); got != want {
			t.Errorf("Signed(%v) (-want +got)\n-%s\n+%s", v, want, got)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                    {""},
		"one":                 {"one"},
		"four four four":      {"four four", "four"},
		"äöüß äöüß x":         {"äöüß äöüß", "x"},
		"a longerthanitall b": {"a", "longerthanitall", "b"},
		"the 95 % of":         {"the 95 %", "of"},
		"there is 95 % of":    {"there is", "95 % of"},
		"% of":                {"% of"},
	} {
		if got := Wrap(text, 10); !slices.Equal(got, want) {
			t.Errorf("%q (-want +got)\n-%q\n+%q", text, want, got)
		}
	}
}
