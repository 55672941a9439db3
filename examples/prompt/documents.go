package main

import "github.com/bookend-rag/bookend/core"

// document is this program's own type.
type document struct {
	Text  string
	Score float64 // higher is better
}

// documents are what three searches found, in the order in which they answered.
var documents = []document{
	{"Gift cards are not refunded. A card stays valid for 5 years.", 0.21},
	{"A refund goes to the card that paid, within 5 to 7 working days.", 0.74},
	{"Unused items: money back for 30 days, from day 31 to day 60 store credit.", 0.93},
	{"Sale items can be exchanged for 45 days, and are not refunded.", 0.62},
	{"Store credit is valid for 18 months, in every shop and online.", 0.48},
}

// view tells Bookend how to read a document.
var view = &core.View[document]{
	Text:  func(d document) string { return d.Text },
	Score: func(d document) (float64, bool) { return d.Score, true },
}
