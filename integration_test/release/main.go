// The release program makes the modules of a version, and tries them as a stranger
// would, before anything is published.
//
//	go run ./integration_test/release rehearse v0.1.0
//	go run ./integration_test/release prepare v0.1.0
//
// rehearse works on a clone of what is committed, prepares it, makes a folder that
// serves the modules as a module proxy does, and uses them from empty modules: go get
// of each one, go install of the command. It takes its tools from the go command that
// runs it, so GOTOOLCHAIN chooses the version of Go. Other people's modules come from
// the module cache of this machine, or else from the usual proxy. Nothing is left
// behind; -keep DIR leaves the folder of the proxy there.
//
// prepare changes the files here for the commit that is tagged: the nested modules
// require that version of each other, without replace lines, go.sum has the checksums,
// and internal/sameversion the name of the version. It goes by what is committed, and
// the commit may change no other file, since a checksum is that of all files of a module.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"golang.org/x/mod/semver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	keep := flags.String("keep", "", "leave the folder of the module proxy in `DIR`, which must be new")
	if err := flags.Parse(args); err != nil {
		return err
	}
	what, version := flags.Arg(0), flags.Arg(1)
	known := what == "prepare" || what == "rehearse"
	if flags.NArg() != 2 || !known || !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("arguments %q: want prepare or rehearse, and a version such as v0.1.0", flags.Args())
	}
	scratch, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	repository, err := output(ctx, ".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r := &release{modules: bookend, version: version, tree: filepath.Join(scratch, "tree"), proxy: filepath.Join(scratch, "proxy")}
	if *keep != "" {
		if err := os.Mkdir(*keep, 0o755); err != nil {
			return err
		}
		if r.proxy, err = filepath.Abs(*keep); err != nil {
			return err
		}
	}
	if err := r.make(ctx, repository); err != nil {
		return err
	}
	fmt.Fprintf(out, "made %s of commit %s\n", version, r.base)
	if what == "prepare" {
		return r.copyBack(ctx, repository)
	}
	s, err := newStranger(ctx, r, filepath.Join(scratch, "stranger"), out)
	if err != nil {
		return err
	}
	return s.useAll(ctx)
}
