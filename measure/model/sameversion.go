package model

import "github.com/bookend-rag/bookend/internal/sameversion"

// If this does not compile, the modules of Bookend are of several versions: require
// github.com/bookend-rag/bookend and those below it at one version.
const _ = sameversion.Unreleased
