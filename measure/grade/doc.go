// Package grade has scorers that are asked: a program of one's own, and a model with a
// prompt of one's own. What they cannot judge is an error, never a score.
//
//	grader, err := grade.Start(grade.Program{Args: []string{"python3", "score.py"}})
//	…
//	defer grader.Close()
//	progress, err := run.Run(ctx, plan, run.Judged{Model: client, Grader: grader}, journal, limits)
package grade
