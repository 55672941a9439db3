package watch

// Together returns the IDs of questions with those of one cluster behind the first of it,
// and otherwise in their order. An empty cluster is that of a question alone.
func Together(ids []string, cluster func(id string) string) []string {
	members := map[string][]string{}
	for _, id := range ids {
		if name := cluster(id); name != "" {
			members[name] = append(members[name], id)
		}
	}
	if len(members) == 0 {
		return ids
	}
	together := make([]string, 0, len(ids))
	for _, id := range ids {
		name := cluster(id)
		if name == "" {
			together = append(together, id)
			continue
		}
		together = append(together, members[name]...)
		delete(members, name)
	}
	return together
}
