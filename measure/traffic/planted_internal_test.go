package traffic

// Planted returns a curve by name.
func Planted(name string, n int) []float64 {
	curve := make([]float64, n)
	for slot := range curve {
		x := float64(slot) / float64(n-1)
		switch name {
		case "U":
			curve[slot] = 0.6 + 2.4*(x-0.5)*(x-0.5)
		case "primacy":
			curve[slot] = 1.3 - 0.6*x
		case "recency":
			curve[slot] = 0.7 + 0.6*x
		case "inverted":
			curve[slot] = 1.2 - 2*(x-0.5)*(x-0.5)
		case "weak primacy":
			curve[slot] = 1.1 - 0.2*x
		case "edge of flat": // of ten documents, start minus end is exactly a tenth
			curve[slot] = 1 - 0.1125*(x-0.5)
		default:
			curve[slot] = 1
		}
	}
	return curve
}
