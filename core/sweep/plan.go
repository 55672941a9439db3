package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// The arms of a sweep.
const (
	ArmSlot       = "slot"        // all documents, the gold one in the slot of the call
	ArmClosedBook = "closed-book" // the question alone
	ArmOracle     = "oracle"      // the gold document alone
	ArmRepeat     = "repeat"      // the middle one of the measured slots, asked again: the noise floor
)

// NoSlot is the slot of a call in an arm that has none.
const NoSlot = -1

// What Settings take for zero.
const (
	DefaultMaxTokens = 100
	DefaultRepeats   = 1
)

// Params are the parameters of a model that determine its answer.
type Params struct {
	// Completion asks by plain completion, as base models need; else by chat.
	Completion  bool    `json:"completion,omitempty"`
	Temperature float64 `json:"temperature"`
	// MaxTokens bounds an answer. 0: DefaultMaxTokens; negative: the server's own
	// bound, which no cap can foresee.
	MaxTokens int      `json:"max_tokens,omitempty"`
	Seed      *int64   `json:"seed,omitempty"`
	Stop      []string `json:"stop,omitempty"`
	// Extra goes into the body of the request as it is, over anything of that name.
	Extra map[string]any `json:"extra,omitempty"`
}

// Settings say what a sweep asks. Only Model has no default.
type Settings struct {
	// Model is the name that the server knows.
	Model  string
	Params Params

	// Documents is the size of a prompt. 0: as many as the smallest case has.
	Documents int
	// Slots are the measured slots, ascending; see DenseSlots and ParseSlots. nil:
	// all.
	Slots []int
	// Questions is how many cases are asked. 0: all.
	Questions int
	// Seed shuffles the questions. A longer sweep of the same seed begins with the
	// questions of a shorter one.
	Seed uint64
	// Repeats is how often the repeat arm asks. 0: DefaultRepeats.
	Repeats int
	// Without switches arms off: ArmClosedBook, ArmOracle, ArmRepeat.
	Without []string

	// Prompt is the layout and the format. nil: the layout of Liu et al. for the
	// task, PaperPrompt for questions. Labels are always numbered by slot, and a
	// Budget is refused, since it would leave documents out.
	Prompt *prompt.Config
	// Instruction replaces that of the prompt.
	Instruction string

	// Count returns the tokens of a text, for estimates, caps and limits of tokens.
	// nil: EstimateTokens.
	Count func(text string) int
}

// The instructions, in our own words.
const (
	questionInstruction = "Some search results follow, and only a part of them may help. Use them to answer the question in as few words as you can."
	keyValueInstruction = "Find the key that is named at the end in the JSON object below and give its value, without anything else."
)

// PaperPrompt returns the layout of Liu et al. for questions, in our own words:
// the instruction, the documents as "Document [1](Title: T) text", the question,
// and "Answer:".
func PaperPrompt() prompt.Config {
	return prompt.Config{
		Layout: prompt.InstructionFirst, Format: prompt.Titled, Labels: prompt.BySlot,
		Instruction: questionInstruction, Cue: "Answer:",
	}
}

// EstimateTokens guesses the number of tokens of a text without a tokenizer: one
// for four bytes, which is a little much for English prose and too little for
// numbers and UUIDs.
func EstimateTokens(text string) int { return (len(text) + 3) / 4 }

// Call is one request of a plan, and a cell of its result.
type Call struct {
	// Key is the SHA-256, in 64 hexadecimal digits, of everything that determines
	// the answer: model, parameters, prompt and repeat number. Neither arm nor slot
	// count, so that a prompt that another plan asked already is known.
	Key      string
	Question string // Case.ID
	Index    int    // of the case in its dataset
	Arm      string
	Slot     int // NoSlot in an arm without one
	// Repeat tells calls of one prompt apart: 0 for the first. Where another document
	// has the very words of the gold one, neighbouring slots have one prompt, and
	// each is a repeat of its own.
	Repeat    int
	Documents int // in the prompt
	Prompt    Prompt
	Answers   []string // what is accepted
	// Tokens is the estimated size of the prompt, MaxTokens the bound of the answer;
	// 0 for one that is not known.
	Tokens, MaxTokens int
}

// CallKey returns the key of a call; see Call.Key. A map in p.Extra counts by its
// content, not by its order.
func CallKey(model string, p Params, ask Prompt, repeat int) (string, error) {
	asked := struct {
		Version  int              `json:"version"`
		Model    string           `json:"model"`
		Params   Params           `json:"params"`
		Text     *string          `json:"text,omitempty"`
		Messages []prompt.Message `json:"messages,omitempty"`
		Repeat   int              `json:"repeat"`
	}{Version: 1, Model: model, Params: p, Repeat: repeat}
	if p.Completion {
		asked.Text = &ask.Text
	} else {
		asked.Messages = ask.Messages
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return "", &core.ConfigError{Field: "Params", Value: fmt.Sprint(p), Rule: fmt.Sprintf("must be what JSON can express: %v", err)}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Plan is every call of a sweep, in order, before anything is spent. It holds no
// texts: about 8 bytes a question, and one case. It is safe for concurrent use.
//
// The questions come in an order that the seed decides. All arms of one question
// stand together, because servers cache what prompts begin with: closed-book,
// oracle, the slots in ascending order, and the repeats.
type Plan struct {
	dataset  *Dataset
	settings Settings // defaults filled in
	arms     []arm    // of each question
	order    []int    // the cases, in plan order
	renderer *prompt.Renderer

	mu   sync.Mutex
	last Case // the arms of one question follow each other
	at   int  // its index; -1 for none
}

type arm struct {
	name   string
	slot   int
	repeat int
}

// NewPlan lays out a sweep. It reads no case and asks nothing. dataset must stay
// open, and is not closed. Every fault of the settings is a *core.ConfigError, and
// they come joined.
func NewPlan(dataset *Dataset, s Settings) (*Plan, error) {
	p := &Plan{dataset: dataset, settings: s, at: -1}
	if err := p.complete(); err != nil {
		return nil, err
	}
	p.settings.Slots = slices.Clone(p.settings.Slots)
	p.settings.Params.Stop = slices.Clone(p.settings.Params.Stop)
	p.settings.Without = slices.Clone(p.settings.Without)
	on := func(name string) bool { return !slices.Contains(s.Without, name) }
	if on(ArmClosedBook) {
		p.arms = append(p.arms, arm{name: ArmClosedBook, slot: NoSlot})
	}
	if on(ArmOracle) {
		p.arms = append(p.arms, arm{name: ArmOracle, slot: NoSlot})
	}
	for _, slot := range p.settings.Slots {
		p.arms = append(p.arms, arm{name: ArmSlot, slot: slot})
	}
	if on(ArmRepeat) {
		middle := p.settings.Slots[len(p.settings.Slots)/2]
		for i := range p.settings.Repeats {
			p.arms = append(p.arms, arm{name: ArmRepeat, slot: middle, repeat: i + 1})
		}
	}
	p.order = QuestionOrder(dataset.Len(), p.settings.Seed)[:p.settings.Questions]
	return p, nil
}

// complete fills in the defaults and returns every fault.
func (p *Plan) complete() error {
	s, report := &p.settings, p.dataset.Report()
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
		s.Slots = upTo(s.Documents)
	default:
		if err := checkSlots(s.Documents, s.Slots); err != nil {
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
		s.Params.MaxTokens = DefaultMaxTokens
	}
	s.Params.MaxTokens = max(s.Params.MaxTokens, 0)
	if s.Count == nil {
		s.Count = EstimateTokens
	}
	if _, err := CallKey(s.Model, s.Params, Prompt{}, 0); err != nil {
		faults = append(faults, err)
	}
	if err := p.layOut(); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// layOut prepares the renderer; nil means the key-value layout of Liu et al.
func (p *Plan) layOut() error {
	s := &p.settings
	if s.Prompt == nil && p.dataset.Task() == KeyValue {
		if s.Instruction == "" {
			s.Instruction = keyValueInstruction
		}
		return nil
	}
	config := PaperPrompt()
	if s.Prompt != nil {
		config = *s.Prompt
	}
	if s.Instruction != "" {
		config.Instruction = s.Instruction
	}
	if config.Budget > 0 {
		return &core.ConfigError{Field: "Prompt.Budget", Value: config.Budget, Rule: "must be 0: a sweep keeps every document"}
	}
	config.Labels = prompt.BySlot
	var err error
	if p.renderer, err = prompt.New(config); err != nil {
		return err
	}
	config = p.renderer.Config()
	s.Prompt, s.Instruction = &config, config.Instruction
	return nil
}

// QuestionOrder returns the order in which a seed asks the n questions of a dataset:
// a permutation of 0 … n-1, the same under every version of Go.
func QuestionOrder(n int, seed uint64) []int {
	order, random := upTo(n), &stream{state: join(seed, 0x7155)}
	for i := n - 1; i > 0; i-- {
		j := random.below(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// Len returns the number of calls.
func (p *Plan) Len() int { return len(p.order) * len(p.arms) }

// Questions returns the number of questions.
func (p *Plan) Questions() int { return len(p.order) }

// Settings returns the settings, defaults filled in. The caller must not write to
// what they hold.
func (p *Plan) Settings() Settings { return p.settings }

// Call builds call i, from 0, in the order of the plan: it reads the case, unless
// it is that of the call before, and lays out the prompt. It costs a few times the
// length of the prompt. The errors are those of Dataset.Case and of the layout, and
// a *core.ConfigError for an index outside 0 … Len()-1.
func (p *Plan) Call(i int) (Call, error) {
	if i < 0 || i >= p.Len() {
		return Call{}, &core.ConfigError{Field: "call", Value: i, Rule: fmt.Sprintf("the plan has %d calls, from 0", p.Len())}
	}
	index, a := p.order[i/len(p.arms)], p.arms[i%len(p.arms)]
	c, err := p.caseAt(index)
	if err != nil {
		return Call{}, err
	}
	call := Call{
		Question: c.ID, Index: index, Arm: a.name, Slot: a.slot, Repeat: a.repeat,
		Answers: c.Answers, MaxTokens: p.settings.Params.MaxTokens,
	}
	switch a.name {
	case ArmClosedBook:
		call.Prompt = p.closedBook(c)
	case ArmOracle:
		call.Documents = 1
		call.Prompt, err = p.with(c, c.Documents[c.Gold:c.Gold+1])
	default:
		call.Documents = p.settings.Documents
		before, after := p.alike(c, a.slot)
		call.Repeat = before
		if a.name == ArmRepeat {
			call.Repeat += after + a.repeat
		}
		call.Prompt, err = p.with(c, c.WithGoldAt(a.slot, p.settings.Documents))
	}
	if err != nil {
		return Call{}, err
	}
	call.Tokens = p.count(call.Prompt)
	call.Key, err = CallKey(p.settings.Model, p.settings.Params, call.Prompt, call.Repeat)
	return call, err
}

func (p *Plan) count(ask Prompt) int { return max(p.settings.Count(ask.Text), 0) }

func (p *Plan) caseAt(index int) (Case, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != index {
		c, err := p.dataset.Case(index)
		if err != nil {
			return Case{}, err
		}
		p.last, p.at = c, index
	}
	return p.last, nil
}

// alike returns how many slots next to slot, before and after it, give the same
// prompt, because what stands between has the words of the gold document.
func (p *Plan) alike(c Case, slot int) (before, after int) {
	n := p.settings.Documents
	others := make([]Document, 0, n)
	for i, d := range c.Documents {
		if i != c.Gold && len(others) < n-1 {
			others = append(others, d)
		}
	}
	gold := c.Documents[c.Gold]
	same := func(d Document) bool { return d.Title == gold.Title && d.Text == gold.Text }
	for slot-before > 0 && same(others[slot-before-1]) {
		before++
	}
	for slot+after < n-1 && same(others[slot+after]) {
		after++
	}
	return before, after
}

var documentView = &core.View[Document]{
	Text: func(d Document) string { return d.Text },
	Meta: func(d Document) map[string]any { return map[string]any{"title": d.Title} },
}

// with lays out the documents as they come.
func (p *Plan) with(c Case, documents []Document) (Prompt, error) {
	if p.renderer == nil {
		return user(p.settings.Instruction + "\n\nJSON data:\n" + pairs(documents) + "\n\n" + askFor(c)), nil
	}
	placed, err := core.Arranged(core.RankOrder, len(documents))
	if err != nil {
		return Prompt{}, err
	}
	rendered, err := prompt.Render(context.Background(), p.renderer, placed, documents, p.view(), prompt.Input{Question: c.Question})
	return Prompt{Text: rendered.Text, Messages: rendered.Messages}, err
}

// view shows the title under the name that the prompt looks for.
func (p *Plan) view() *core.View[Document] {
	key := p.settings.Prompt.TitleKey
	if key == "title" {
		return documentView
	}
	return &core.View[Document]{
		Text: documentView.Text,
		Meta: func(d Document) map[string]any { return map[string]any{key: d.Title} },
	}
}

// closedBook asks the question alone: the last two lines of the layout of Liu et
// al.
func (p *Plan) closedBook(c Case) Prompt {
	if p.renderer == nil {
		return user(askFor(c))
	}
	text := p.settings.Prompt.QuestionPrefix + c.Question
	if cue := p.settings.Prompt.Cue; cue != "" {
		text += "\n" + cue
	}
	return user(text)
}

func user(text string) Prompt {
	return Prompt{Text: text, Messages: []prompt.Message{{Role: prompt.User, Text: text}}}
}

// askFor ends the key-value layout.
func askFor(c Case) string { return "Key: " + quoted(c.Question) + "\nCorresponding value:" }

// pairs writes a JSON object with one pair a line.
func pairs(documents []Document) string {
	var b strings.Builder
	for i, d := range documents {
		b.WriteString(map[bool]string{true: "{", false: ",\n "}[i == 0])
		b.WriteString(quoted(d.Title))
		b.WriteString(": ")
		b.WriteString(quoted(d.Text))
	}
	b.WriteString("}")
	return b.String()
}

// quoted writes a JSON string that leaves "<", ">" and "&" as they are.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// Manifest describes a plan: what a journal says about its records, and a curve
// about its origin.
type Manifest struct {
	Model       string         `json:"model"`
	Params      Params         `json:"params"`
	Task        Task           `json:"task"`
	Dataset     Report         `json:"dataset"`
	Documents   int            `json:"documents"`
	Slots       []int          `json:"slots"`
	Questions   int            `json:"questions"`
	Seed        uint64         `json:"seed"`
	Arms        []string       `json:"arms"` // each once, in plan order
	Repeats     int            `json:"repeats"`
	Layout      string         `json:"layout"`           // in one word
	Prompt      *prompt.Config `json:"prompt,omitempty"` // absent for the key-value layout of Liu et al.
	Instruction string         `json:"instruction"`
	Calls       int            `json:"calls"`
}

// KeyValueLayout names the key-value layout of Liu et al. in a Manifest.
const KeyValueLayout = "key-value"

// Describe returns the Manifest of the plan.
func (p *Plan) Describe() Manifest {
	s := p.settings
	m := Manifest{
		Model: s.Model, Params: s.Params, Task: p.dataset.Task(), Dataset: p.dataset.Report(),
		Documents: s.Documents, Slots: slices.Clone(s.Slots), Questions: len(p.order), Seed: s.Seed,
		Layout: KeyValueLayout, Prompt: s.Prompt, Instruction: s.Instruction, Calls: p.Len(),
	}
	if s.Prompt != nil {
		m.Layout = string(s.Prompt.Layout) + "/" + string(s.Prompt.Format)
	}
	for _, a := range p.arms {
		if !slices.Contains(m.Arms, a.name) {
			m.Arms = append(m.Arms, a.name)
		}
		m.Repeats = max(m.Repeats, a.repeat)
	}
	return m
}

// Manifest returns what Run writes into the journal: Describe.
func (p *Plan) Manifest() any { return p.Describe() }

// String says in a few lines what would be asked, without reading a case.
func (p *Plan) String() string {
	m := p.Describe()
	return fmt.Sprintf("%s, %s, %d documents, layout %s\n%d questions × %d arms (%s; slots %s) = %d calls",
		m.Model, m.Task, m.Documents, m.Layout, m.Questions, len(p.arms), strings.Join(m.Arms, ", "), numberList(m.Slots), m.Calls)
}

func numberList(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

// estimateQuestions is how many questions Estimate reads at most.
const estimateQuestions = 200

// Estimate is what a plan would use. Completion is the most that answers may have.
type Estimate struct {
	Calls     int
	Questions int
	Usage     Usage
	Cost      float64 // without what servers grant for cached prompts
	Read      int     // the questions that were read; fewer than Questions: the rest is extrapolated
	Unbounded bool    // answers have no bound, and count as nothing
	Priced    bool    // there are prices behind Cost
}

// Estimate counts the tokens of the plan and their price. It reads up to 200
// questions in plan order and lays out one prompt for each kind of arm, since
// moving a document changes no size. The errors are those of Call, of a cancelled
// context and of the prices.
func (p *Plan) Estimate(ctx context.Context, prices Prices) (Estimate, error) {
	if err := prices.Check(); err != nil {
		return Estimate{}, err
	}
	e := Estimate{
		Calls: p.Len(), Questions: len(p.order), Read: min(len(p.order), estimateQuestions),
		Unbounded: p.settings.Params.MaxTokens == 0,
	}
	tokens := 0.0
	for question := range e.Read {
		sizes := map[bool]int{} // of the arms that have a slot
		for i, a := range p.arms {
			if err := ctx.Err(); err != nil {
				return Estimate{}, err
			}
			size, known := sizes[a.slot != NoSlot]
			if !known || a.slot == NoSlot {
				call, err := p.Call(question*len(p.arms) + i)
				if err != nil {
					return Estimate{}, err
				}
				size = call.Tokens
				sizes[a.slot != NoSlot] = size
			}
			tokens += float64(size)
		}
	}
	e.Usage.Prompt = int(math.Round(tokens / float64(e.Read) * float64(e.Questions)))
	e.Usage.Completion = e.Calls * p.settings.Params.MaxTokens
	e.Cost, e.Priced = prices.Cost(e.Usage), prices != Prices{}
	return e, nil
}

// String gives the numbers in one line.
func (e Estimate) String() string {
	about, most := "", "at most "
	if e.Read < e.Questions {
		about = "about "
	}
	if e.Unbounded {
		most = "an unknown number, not "
	}
	cost := ""
	if e.Priced {
		cost = fmt.Sprintf(", cost %.2f", e.Cost)
	}
	return fmt.Sprintf("%d calls, %s%d tokens of prompts, %s%d of answers%s",
		e.Calls, about, e.Usage.Prompt, most, e.Usage.Completion, cost)
}

// DenseSlots picks k slots of a prompt of that many documents, ascending: both
// ends, and the others closer together the nearer they are to an end, where curves
// bend. From k = 3 on, one at least stands in the middle half. The choice is
// symmetric. The error is a *core.ConfigError unless 2 <= k <= documents.
func DenseSlots(documents, k int) ([]int, error) {
	if k < 2 || k > documents {
		return nil, &core.ConfigError{
			Field: "slots", Value: k, Rule: fmt.Sprintf("must be 2, for both ends, to %d, the number of documents", documents),
		}
	}
	last, half := documents-1, k/2
	limit := (last - 1) / 2 // of the left half, which the right one mirrors
	if k%2 == 1 {
		limit = last/2 - 1
	}
	slots := make([]int, k)
	for i := range half {
		x := (1 - math.Cos(math.Pi*float64(i)/float64(k-1))) / 2
		slot := int(math.Round(x * float64(last)))
		if i > 0 {
			slot = max(slot, slots[i-1]+1)
		}
		if k == 4 && i == 1 {
			slot = max(slot, (last+3)/4) // into the middle half
		}
		slot = min(slot, limit-(half-1-i)) // leaves room for the rest
		slots[i], slots[k-1-i] = slot, last-slot
	}
	if k%2 == 1 {
		slots[half] = last / 2
	}
	return slots, nil
}

// ParseSlots reads the slots to measure in a prompt of that many documents: "all"
// or nothing, a number for DenseSlots, or a list such as "0,4,9", a single one with
// a comma, "4,". The error is a *core.ConfigError.
func ParseSlots(text string, documents int) ([]int, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "all") {
		return upTo(max(documents, 0)), nil
	}
	fault := &core.ConfigError{Field: "slots", Value: text, Rule: "use all, a number of slots, or a list of slots such as 0,4,9"}
	if !strings.Contains(text, ",") {
		k, err := strconv.Atoi(text)
		if err != nil {
			return nil, fault
		}
		return DenseSlots(documents, k)
	}
	var slots []int
	for _, word := range strings.Split(strings.TrimSuffix(text, ","), ",") {
		slot, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fault
		}
		slots = append(slots, slot)
	}
	return slots, checkSlots(documents, slots)
}
