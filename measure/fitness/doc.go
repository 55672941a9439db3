// Package fitness says whether a run could tell anything at all, before anybody says
// what it found.
//
// A model that answers nothing reads every slot alike, and so does one whose server cuts
// the prompt: their curve is flat, and no order gains anything. A run like that is unfit,
// and says so with the reason and what to do. A Check takes one question after the other,
// and may be asked after each. A share is over its limit only when an e-value of 20 says so
// (package evidence). So each rule is wrong in at most 5 % of runs.
package fitness
