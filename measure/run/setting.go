package run

// Setting is one value of a sweep's configuration.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
