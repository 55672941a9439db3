package integration_test

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readAs has a fingerprint of each function that docs/stores.md was read from, as
// it was in langchaingo v0.1.14. Where another version's differs, read the
// function again, correct its row and langchaingo/stores.go, and then the
// fingerprint, which the test prints.
var readAs = map[string]string{
	"vectorstores/alloydb/distance_strategy.go CosineDistance.similaritySearchFunction":  "18e912a0",
	"vectorstores/alloydb/distance_strategy.go Euclidean.similaritySearchFunction":       "016d7aba",
	"vectorstores/alloydb/distance_strategy.go InnerProduct.operator":                    "6d341c70",
	"vectorstores/alloydb/distance_strategy.go InnerProduct.similaritySearchFunction":    "fa9c9079",
	"vectorstores/alloydb/vectorstore.go SimilaritySearch":                               "6a5a1e18",
	"vectorstores/alloydb/vectorstore.go processResultsToDocuments":                      "26f7c625",
	"vectorstores/azureaisearch/azureaisearch.go SimilaritySearch":                       "d2ab8282",
	"vectorstores/azureaisearch/azureaisearch.go assertResultValues":                     "422011bd",
	"vectorstores/bedrockknowledgebases/bedrockknowledgebases.go SimilaritySearch":       "79df6690",
	"vectorstores/chroma/chroma.go SimilaritySearch":                                     "5394acc7",
	"vectorstores/cloudsql/distance_strategy.go CosineDistance.similaritySearchFunction": "18e912a0",
	"vectorstores/cloudsql/distance_strategy.go Euclidean.similaritySearchFunction":      "016d7aba",
	"vectorstores/cloudsql/distance_strategy.go InnerProduct.operator":                   "6d341c70",
	"vectorstores/cloudsql/distance_strategy.go InnerProduct.similaritySearchFunction":   "fa9c9079",
	"vectorstores/cloudsql/vectorstore.go SimilaritySearch":                              "f18e1b73",
	"vectorstores/cloudsql/vectorstore.go processResultsToDocuments":                     "26f7c625",
	"vectorstores/dolt/dolt.go SimilaritySearch":                                         "3ddb4252",
	"vectorstores/mariadb/mariadb.go SimilaritySearch":                                   "6eea32f3",
	"vectorstores/milvus/milvus.go SimilaritySearch":                                     "0fb68905",
	"vectorstores/milvus/milvus.go convertResultToDocument":                              "7503b6a0",
	"vectorstores/milvus/options.go WithMetricType":                                      "774773b0",
	"vectorstores/milvus/options.go applyClientOptions":                                  "29bc817c",
	"vectorstores/milvus/v2/milvus.go SimilaritySearch":                                  "c386b8d8",
	"vectorstores/milvus/v2/milvus.go convertResultToDocument":                           "76e380ef",
	"vectorstores/milvus/v2/options.go applyClientOptions":                               "7956eec2",
	"vectorstores/milvus/v2/options.go convertV1IndexToV2":                               "f43f9686",
	"vectorstores/mongovector/mongovector.go SimilaritySearch":                           "5df37e5f",
	"vectorstores/opensearch/opensearch.go SimilaritySearch":                             "568adfb8",
	"vectorstores/pgvector/pgvector.go SimilaritySearch":                                 "ef5670d4",
	"vectorstores/pinecone/pinecone.go SimilaritySearch":                                 "5a4f846e",
	"vectorstores/pinecone/pinecone.go getDocumentsFromMatches":                          "c383a006",
	"vectorstores/qdrant/rest.go searchPoints":                                           "e1e51115",
	"vectorstores/redisvector/index_search.go AsCommand":                                 "c94cbf9f",
	"vectorstores/redisvector/redis_client.go convertFTSearchResIntoDocSchema":           "31588e7b",
	"vectorstores/weaviate/weaviate.go SimilaritySearch":                                 "f7be7f4e",
	"vectorstores/weaviate/weaviate.go parseDocumentsByGraphQLResponse":                  "43bced3e",
}

// storeRow is a row of the table in docs/stores.md.
type storeRow struct {
	store, constant, direction string
	sources                    []source
}

// source is a function of a store, "Receiver.Name" or the name alone, in a file.
type source struct{ file, function string }

func (s source) String() string { return s.file + " " + s.function }

var (
	inCode      = regexp.MustCompile("`([^`]+)`")
	declaration = regexp.MustCompile("^`(\\w+)`: (higher|lower) is better$")
)

func storeRows(t *testing.T) []storeRow {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "stores.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []storeRow
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 8 || !strings.HasPrefix(cells[1], " `") {
			continue // no row: text, or the head of the table
		}
		declared := declaration.FindStringSubmatch(strings.TrimSpace(cells[4]))
		if declared == nil {
			t.Errorf("%q declares no constant with its direction", cells[4])
			continue
		}
		row := storeRow{strings.Trim(cells[1], " `"), declared[1], declared[2], nil}
		file := ""
		for _, code := range inCode.FindAllStringSubmatch(cells[6], -1) {
			if strings.HasSuffix(code[1], ".go") {
				file = code[1]
				continue
			}
			row.sources = append(row.sources, source{file, code[1]})
		}
		if len(row.sources) == 0 {
			t.Errorf("the row of %s in docs/stores.md names no function", row.constant)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatal("docs/stores.md has no row")
	}
	return rows
}

// langchaingoDir is the folder of the langchaingo that this module uses.
func langchaingoDir(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", langchaingoModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	t.Logf("langchaingo %s", version)
	return dir
}

// functions returns the source text of each function of a file, by the name alone
// and by "Receiver.Name".
func functions(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		body := string(text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset])
		found[f.Name.Name] = body
		if f.Recv != nil {
			receiver := f.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			found[fmt.Sprint(receiver)+"."+f.Name.Name] = body
		}
	}
	return found
}

// storesIn returns the folders below vectorstores that hold a store: a type with a
// method SimilaritySearch.
func storesIn(t *testing.T, langchaingo string) []string {
	t.Helper()
	folder := filepath.Join(langchaingo, "vectorstores")
	stores := map[string]bool{}
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		store, err := filepath.Rel(folder, filepath.Dir(file))
		if _, ok := functions(t, file)["SimilaritySearch"]; ok {
			stores[filepath.ToSlash(store)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(stores))
}

// Every store of the langchaingo in use has a row in docs/stores.md, and every row
// a store.
func TestEveryStoreHasARow(t *testing.T) {
	t.Parallel()
	stores := storesIn(t, langchaingoDir(t))
	documented := map[string]bool{}
	for _, row := range storeRows(t) {
		documented[row.store] = true
		if !slices.Contains(stores, row.store) {
			t.Errorf("docs/stores.md has a row for %q, which is no store", row.store)
		}
	}
	for _, store := range stores {
		if !documented[store] {
			t.Errorf("the store %q has no row in docs/stores.md", store)
		}
	}
	if len(stores) < 16 {
		t.Errorf("found %d stores alone: %q", len(stores), stores)
	}
}

// What a row was read from is there, in the folder of its store, and as it was
// when it was read.
func TestStoreRowsStillRead(t *testing.T) {
	t.Parallel()
	langchaingo := langchaingoDir(t)
	read := map[string]bool{}
	for _, row := range storeRows(t) {
		for _, s := range row.sources {
			if read[s.String()] {
				continue
			}
			read[s.String()] = true
			if path.Dir(s.file) != path.Join("vectorstores", row.store) {
				t.Errorf("the row of %s was read from %s, which is not the store's", row.store, s.file)
			}
			text, ok := functions(t, filepath.Join(langchaingo, filepath.FromSlash(s.file)))[s.function]
			if !ok {
				t.Errorf("%s has no function %s", s.file, s.function)
				continue
			}
			if got := fmt.Sprintf("%.4x", sha256.Sum256([]byte(text))); got != readAs[s.String()] {
				t.Errorf("%s is not what it was when docs/stores.md was read from it: read it again\n\t%q: %q,", s, s, got)
			}
		}
	}
	for s := range readAs {
		if !read[s] {
			t.Errorf("readAs has %q, which no row names", s)
		}
	}
}

// Every constant of langchaingo/stores.go points where its rows say, names their store,
// and has a row.
func TestStoreConstantsAgreeWithTheirRows(t *testing.T) {
	t.Parallel()
	type constant struct{ direction, comment string }
	constants := map[string]constant{}
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), "langchaingo", "stores.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			direction, ok := value.Values[0].(*ast.SelectorExpr)
			if !ok || len(value.Names) != 1 {
				t.Errorf("%s is no direction of core", value.Names[0])
				continue
			}
			constants[value.Names[0].Name] = constant{direction.Sel.Name, strings.Join(strings.Fields(value.Comment.Text()), " ")}
		}
	}
	directions := map[string]string{"higher": "HigherIsBetter", "lower": "LowerIsBetter"}
	documented := map[string]bool{}
	for _, row := range storeRows(t) {
		documented[row.constant] = true
		c, ok := constants[row.constant]
		if !ok {
			t.Errorf("the row of %s declares %s, which does not exist", row.store, row.constant)
			continue
		}
		if want := directions[row.direction]; c.direction != want {
			t.Errorf("%s for %s (-row +constant)\n-%s\n+%s", row.constant, row.store, want, c.direction)
		}
		if name, _, _ := strings.Cut(row.store, "/"); !strings.Contains(c.comment, name) {
			t.Errorf("the comment of %s does not name the store of its row, %s: %q", row.constant, row.store, c.comment)
		}
	}
	for name := range constants {
		if !documented[name] {
			t.Errorf("%s has no row in docs/stores.md", name)
		}
	}
}
