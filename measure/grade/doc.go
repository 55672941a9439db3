// Package grade judges answers by a program or by a model, with a prompt that the caller
// writes. What they cannot judge is an error, never a score.
//
//	grader, err := grade.Start(grade.Program{Args: []string{"python3", "score.py"}})
//	…
//	defer grader.Close()
//	progress, err := run.Run(ctx, plan, run.Judged{Model: client, Grader: grader}, journal, limits)
package grade
