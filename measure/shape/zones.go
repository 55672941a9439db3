package shape

// Zones are the measured slots of each zone of a prompt, as indices into the list of
// the measured slots.
type Zones struct{ Start, Middle, End []int }

// ZonesOf says which zones the measured slots of a prompt of so many documents belong
// to, as Contrasts describes them.
func ZonesOf(documents int, slots []int) Zones {
	var z Zones
	last := documents - 1
	for i, slot := range slots {
		// In whole numbers, so that a slot on the border is never lost to rounding.
		if 20*slot <= 3*last {
			z.Start = append(z.Start, i)
		}
		if 4*slot >= last && 4*slot <= 3*last {
			z.Middle = append(z.Middle, i)
		}
		if 20*slot >= 17*last {
			z.End = append(z.End, i)
		}
	}
	return z
}

// Of returns what the contrasts of values are, one value a measured slot: start minus
// middle, end minus middle, and start minus end. A zone without a slot counts as 0.
func (z Zones) Of(values []float64) [3]float64 {
	mean := func(zone []int) float64 {
		sum := 0.0
		for _, i := range zone {
			sum += values[i]
		}
		return sum / float64(max(len(zone), 1))
	}
	start, middle, end := mean(z.Start), mean(z.Middle), mean(z.End)
	return [3]float64{start - middle, end - middle, start - end}
}
