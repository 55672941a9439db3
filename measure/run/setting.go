package run

// Setting is one value of the exact configuration behind a result, as reports list it.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
