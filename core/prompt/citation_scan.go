package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/internal/safetext"
)

const (
	openers = "[【［〔〖"
	closers = "]】］〕〗"
	// maxRange bounds the numbers that a range stands for; a wider one is no citation.
	maxRange = 100
	// maxUnread cuts what is kept of a citation that is not understood, in characters,
	// and bounds what can look like one.
	maxUnread = 40
)

// scanner finds the citations of an answer, one place after another, in one pass.
type scanner struct {
	text string
	at   int // what is read

	labels []int  // of the place that was found
	unread string // what of it is not understood; "" for nothing

	single, end int // the one label of the brackets that end there; 0 for none
}

// next finds the next place.
func (s *scanner) next() bool {
	for s.at < len(s.text) {
		s.labels, s.unread = nil, ""
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case strings.ContainsRune(openers, r):
			s.brackets(size)
		case unicode.IsLetter(r):
			s.word()
		case superscript(r) >= 0:
			s.superscripts()
		default:
			s.at += size
		}
		if len(s.labels) > 0 || s.unread != "" {
			return true
		}
	}
	return false
}

// brackets reads what stands in brackets that hold no others.
func (s *scanner) brackets(opener int) {
	start := s.at
	s.at += opener
	length := strings.IndexAny(s.text[s.at:], openers+closers)
	if length < 0 {
		return
	}
	content := s.text[s.at : s.at+length]
	closer, size := utf8.DecodeRuneInString(s.text[s.at+length:])
	if !strings.ContainsRune(closers, closer) {
		return
	}
	end := s.at + length + size
	l := readList(content)
	switch {
	case l.read():
		s.labels = l.labels
	case l.looks() && !strings.HasPrefix(s.text[end:], "("): // else the text of a link
		s.unread = shorten(content)
	default:
		return // words in it are looked at one by one
	}
	if len(l.large) > 0 {
		s.unread = shorten(l.large)
	}
	if len(l.labels) == 1 && s.single > 0 && joinsRange(s.text[s.end:start]) {
		if all := rangeOf(s.single, l.labels[0]); all != nil {
			s.labels = all
		}
	}
	s.single, s.end, s.at = 0, end, end
	if len(l.labels) == 1 {
		s.single = l.labels[0]
	}
}

// joinsRange says whether what stands between two pairs of brackets makes a range of
// them.
func joinsRange(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	if size == len(text) && isDash(r) {
		return true
	}
	word := strings.TrimSpace(text)
	return word != text && rangeWords[strings.ToLower(word)]
}

// word reads "Document 2" and the like, which has no brackets.
func (s *scanner) word() {
	start := s.at
	word := leading(s.text[s.at:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) })
	s.at += len(word)
	many, known := citesAlone(word)
	before, _ := utf8.DecodeLastRuneInString(s.text[:start])
	if !known || isDigitRune(before) || before == '_' {
		return
	}
	rest := strings.TrimLeft(s.text[s.at:], ".:：#№_*\u00a0 ")
	if len(s.text)-s.at-len(rest) > 4 {
		return
	}
	var labels []int
	for {
		n, after, ok := bareNumber(rest)
		if !ok {
			break
		}
		labels = append(labels, n)
		rest = after
		if r, size := utf8.DecodeRuneInString(rest); isDash(r) {
			if to, after, ok := bareNumber(rest[size:]); ok {
				all := rangeOf(n, to)
				if all == nil || nextIs(after, isDash) {
					return // a date
				}
				labels, rest = append(labels, all...), after
			}
		}
		s.at = len(s.text) - len(rest)
		if !many {
			break
		}
		rest = skipSeparator(rest)
	}
	s.labels = labels
}

// bareNumber reads a number that is not part of a decimal, a time, an ordinal or a
// share.
func bareNumber(text string) (n int, rest string, ok bool) {
	digits := leading(text, isDigitRune)
	n, fits := number(digits)
	rest = text[len(digits):]
	if digits == "" || !fits || nextIs(rest, func(r rune) bool { return (unicode.IsLetter(r) && r < 0x2E80) || strings.ContainsRune("%°€$_/", r) }) {
		return 0, "", false
	}
	if r, size := utf8.DecodeRuneInString(rest); strings.ContainsRune(".,:", r) && nextIs(rest[size:], isDigitRune) {
		return 0, "", false
	}
	return n, rest, true
}

// skipSeparator returns what follows a comma, an "and" and the like.
func skipSeparator(text string) string {
	rest := strings.TrimLeft(text, " ,;&、，；\u00a0")
	word := leading(rest, unicode.IsLetter)
	if isAnd(word) {
		rest = strings.TrimLeft(rest[len(word):], " \u00a0")
	}
	if rest == text {
		return ""
	}
	return rest
}

// superscripts reads ² and the like where they follow a word or a mark of punctuation: a
// square metre is no citation.
func (s *scanner) superscripts() {
	before := s.text[:s.at]
	run := leading(s.text[s.at:], func(r rune) bool { return superscript(r) >= 0 || strings.ContainsRune(",˒ʼ'⁻", r) })
	s.at += len(run)
	r, _ := utf8.DecodeLastRuneInString(before)
	if unicode.IsLetter(r) {
		letters := trailingLetters(before)
		if utf8.RuneCountInString(letters) < 4 && r < 0x2E80 || units[strings.ToLower(letters)] {
			return
		}
	} else if !unicode.IsPunct(r) || unicode.Is(unicode.Ps, r) || isDash(r) {
		return
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case superscript(r) >= 0:
			return '0' + superscript(r)
		case r == '⁻':
			return '-'
		}
		return ','
	}, run)
	if l := readList(plain); l.read() {
		s.labels = l.labels
	}
}

// list is what brackets hold.
type list struct {
	labels  []int
	large   string // a number that is too large for any label
	numbers int    // how many stand in it
	named   bool   // it has a word that says that it cites
	unknown int    // words that mean nothing here
	foreign bool   // it holds what no citation has
	long    bool   // it is too long to look like one
}

// read says whether all of it was understood, apart from a number that is too large.
func (l *list) read() bool {
	return l.numbers > 0 && l.unknown == 0 && !l.foreign
}

// looks says whether it looks like a citation.
func (l *list) looks() bool {
	return l.numbers > 0 && l.unknown <= 1 && !l.foreign && !l.long
}

// readList reads the numbers of a list: "1, 3", "Document 2 and 4-6".
func readList(text string) list {
	l := list{long: utf8.RuneCountInString(text) > maxUnread}
	last := -1       // the number before, where a range may start; -1 for none
	ranged := false  // a range sign follows it
	inRange := false // it ends a range
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case isDigitRune(r):
			digits := leading(text, isDigitRune)
			text = text[len(digits):]
			l.numbers++
			n, fits := number(digits)
			switch {
			case !fits:
				l.large = digits
			case nextIs(text, func(r rune) bool { return unicode.IsLetter(r) && r < 0x2E80 }):
				l.unknown++ // "1a", "2nd"
				text = text[len(leading(text, unicode.IsLetter)):]
			case ranged && inRange:
				l.foreign = true // a date
			case ranged:
				all := rangeOf(last, n)
				if all == nil {
					l.unknown++
				}
				l.labels = append(l.labels, all...)
				inRange = true
			default:
				l.labels = append(l.labels, n)
				inRange = false
			}
			last, ranged = n, false
			if !fits {
				last = -1
			}
		case unicode.IsLetter(r):
			word := leading(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) })
			text = text[len(word):]
			lower := strings.ToLower(word)
			_, cites := citesAlone(word)
			switch {
			case isAnd(lower):
				last = -1
			case rangeWords[lower] && last >= 0:
				ranged = true
			case cites || citesInBrackets[lower]:
				l.named, last = true, -1
			case l.numbers > 0 && (l.named || locators[lower]):
				return l // the rest says where in the document, or what it is called
			default:
				l.unknown++
				last = -1
			}
		case r == '†' && l.numbers > 0:
			return l
		case isDash(r):
			if l.numbers == 0 && !l.named && l.unknown == 0 {
				l.foreign = true // "-1"
			}
			ranged = last >= 0
			text = text[size:]
		case r == ':' && l.numbers > 0, r == '.' && l.numbers > 0 && nextIs(text[size:], isDigitRune):
			if text = text[size:]; !nextIs(text, isDigitRune) && r == ':' {
				return l // "1: its title"
			}
			if strings.ContainsRune(text, '†') {
				l.unknown++
				return l
			}
			l.foreign = true // a time, a decimal
		case unicode.IsSpace(r), safetext.Invisible(r), strings.ContainsRune(".:：#^№°_*\\\"'()", r):
			text = text[size:]
		case strings.ContainsRune(",;&|·、，；", r):
			text = text[size:]
			last, ranged = -1, false
		default:
			l.foreign = true
			text = text[size:]
		}
	}
	return l
}

// rangeOf returns the numbers from one to another, or nil for what is no range.
func rangeOf(from, to int) []int {
	if from < 0 || to < from || to-from >= maxRange {
		return nil
	}
	all := make([]int, 0, to-from+1)
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

// number returns the value of decimal digits of any script, and false where it is too
// large for any label.
func number(digits string) (int, bool) {
	n := 0
	for _, r := range digits {
		if n > (1<<31-10)/10 {
			return 0, false
		}
		n = 10*n + digitOf(r)
	}
	return n, true
}

func isDigitRune(r rune) bool { return unicode.IsDigit(r) }

// digitOf returns the value of a decimal digit: Unicode lists each script's ten from 0
// on.
func digitOf(r rune) int {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	return 0
}

// superscript returns the value of a superscript digit, or -1.
func superscript(r rune) rune {
	switch {
	case r == '¹':
		return 1
	case r == '²' || r == '³':
		return r - '²' + 2
	case r == '⁰' || '⁴' <= r && r <= '⁹':
		return r - '⁰'
	}
	return -1
}

func isDash(r rune) bool { return strings.ContainsRune("-‐‑‒–—−~～…", r) }

// leading returns the beginning of text whose characters have a property.
func leading(text string, has func(rune) bool) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !has(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

// trailingLetters returns the letters at the end of text, 16 at most.
func trailingLetters(text string) string {
	start := len(text)
	for range 16 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !unicode.IsLetter(r) {
			break
		}
		start -= size
	}
	return text[start:]
}

func nextIs(text string, has func(rune) bool) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && has(r)
}

// shorten cuts what is kept of an answer.
func shorten(text string) string { return cut(strings.TrimSpace(safetext.Line(text)), maxUnread) }

// citesAlone says whether a word and a number cite a document also without brackets,
// and whether the word stands for several.
func citesAlone(word string) (many, known bool) {
	if len(word) > 48 {
		return false, false
	}
	word = strings.ToLower(word)
	if many, known = citing[word]; known {
		return many, true
	}
	for _, suffix := range unspaced {
		if strings.HasSuffix(word, suffix) {
			return true, true
		}
	}
	return false, false
}

func isAnd(word string) bool { return slices.Contains(ands, strings.ToLower(word)) }

// words makes a set of the words of a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

var (
	// citing has the words that cite with a number after them; true for a plural.
	citing = func() map[string]bool {
		set := words("documents docs sources passages snippets chunks excerpts references refs " +
			"dokumente dokumenten quellen documentos fuentes fontes fonti documenti bronnen documenten dokumenty документы источники документах источниках")
		for one := range words("document doc source passage snippet chunk excerpt reference ref " +
			"dokument quelle documento fuente fonte bron документ источник документе источнике документу источнику") {
			set[one] = false
		}
		return set
	}()
	// unspaced are such words of languages that write without spaces; they end the run
	// of letters before the number.
	unspaced = strings.Fields("文档 文件 文献 来源 资料 文書 資料 出典 ドキュメント 문서 출처")
	// citesInBrackets has the words that do so in brackets alone.
	citesInBrackets = words("see cf also in from by per cite cited citation citations id web result results item note footnote fn context " +
		"no nr nos num number n siehe vgl voir ver vid zie см")
	ands       = strings.Fields("and or und oder et ou y e o и или en 和 及 与 或 と 및")
	rangeWords = words("to through thru until till bis à hasta a do до 至 到 から")
	// locators say where in a document.
	locators = words("p pp page pages s seite seiten l line lines sec section sections ch chapter para paragraph fig figure table abs art §")
	// units are words that a superscript makes a square or a cube of.
	units = words("meter meters metre metres mile miles feet foot inch inches yard yards kilometer kilometers kilometre kilometres centimeter centimeters centimetre centimetres")
)
