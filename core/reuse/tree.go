package reuse

import "cmp"

// tree is a prefix tree of the orders that were sent, of numbers that stand for documents.
// It is bounded: the leaf that was not used for longest goes first. It has no lock.
type tree struct {
	limit int   // of nodes
	ttl   int64 // nanoseconds

	nodes  []node // 0 is none
	free   []uint32
	count  int
	roots  map[string]uint32 // by scope
	edges  map[edge]uint32
	newest uint32 // of the list by last use
	oldest uint32
}

// node is one document behind those of its parents. The root of a scope stands for no
// document; nor do its children, which stand for what comes before the documents.
type node struct {
	key          uint64
	scope        string // of a root
	parent       uint32
	child        uint32 // the first; the others are its siblings
	before, next uint32 // siblings
	children     int32
	newer, older uint32 // in the list by last use, where parents are newer than children
	used         int64  // when, in Unix nanoseconds
}

type edge struct {
	parent uint32
	key    uint64
}

func newTree(limit int, ttl int64) *tree {
	return &tree{limit: limit, ttl: ttl, nodes: make([]node, 1), roots: map[string]uint32{}, edges: map[edge]uint32{}}
}

// send remembers keys, in their order, in a scope, and returns how many of them, from
// the first on, it knew already.
func (t *tree) send(scope string, keys []uint64, now int64) (known int) {
	t.expire(now, 2*len(keys)+2) // more than a call adds, so that all go in time
	at := t.roots[scope]
	fresh := at != 0 && t.alive(at, now)
	if at == 0 {
		if at = t.add(0, 0, 0); at != 0 {
			t.nodes[at].scope = scope
			t.roots[scope] = at
		}
	}
	t.touch(at, now)
	for depth, key := range keys {
		next := t.edges[edge{at, key}]
		if fresh = fresh && next != 0 && t.alive(next, now); fresh {
			known++
		}
		if next == 0 {
			if next = t.add(at, key, depth+1); next == 0 {
				break // the memory is smaller than this order
			}
			t.edges[edge{at, key}] = next
		}
		at = next
		t.touch(at, now)
	}
	for ; at != 0; at = t.nodes[at].parent { // so that parents are newer than children
		t.touch(at, now)
	}
	return known
}

// alive says whether a node may still be in the server's cache.
func (t *tree) alive(at uint32, now int64) bool { return now-t.nodes[at].used <= t.ttl }

// touch makes a node the one that was used last.
func (t *tree) touch(at uint32, now int64) {
	n := &t.nodes[at]
	n.used = now
	if t.newest == at {
		return
	}
	t.unlist(at)
	n.older = t.newest
	if t.newest != 0 {
		t.nodes[t.newest].newer = at
	}
	t.newest = at
	if t.oldest == 0 {
		t.oldest = at
	}
}

// unlist takes a node out of the list by last use, if it is in it.
func (t *tree) unlist(at uint32) {
	n := &t.nodes[at]
	if n.newer != 0 {
		t.nodes[n.newer].older = n.older
	}
	if n.older != 0 {
		t.nodes[n.older].newer = n.newer
	}
	if t.oldest == at {
		t.oldest = n.newer
	}
	if t.newest == at {
		t.newest = n.older
	}
	n.newer, n.older = 0, 0
}

// add makes a child of a node that has so many nodes on its way from the root, itself
// among them, all of which were touched just now. It returns 0 where they fill the tree.
func (t *tree) add(parent uint32, key uint64, depth int) uint32 {
	if t.count == t.limit {
		if t.count <= depth {
			return 0
		}
		t.drop(t.oldest)
	}
	t.count++
	var at uint32
	if n := len(t.free); n > 0 {
		at, t.free = t.free[n-1], t.free[:n-1]
		t.nodes[at] = node{}
	} else {
		at = uint32(len(t.nodes))
		t.nodes = append(t.nodes, node{})
	}
	n := &t.nodes[at]
	n.key, n.parent = key, parent
	if parent != 0 {
		p := &t.nodes[parent]
		if n.next = p.child; n.next != 0 {
			t.nodes[n.next].before = at
		}
		p.child = at
		p.children++
	}
	return at
}

// drop forgets a leaf.
func (t *tree) drop(at uint32) {
	n := &t.nodes[at]
	t.unlist(at)
	if n.parent == 0 {
		delete(t.roots, n.scope)
	} else {
		delete(t.edges, edge{n.parent, n.key})
		p := &t.nodes[n.parent]
		p.children--
		if p.child == at {
			p.child = n.next
		}
		if n.before != 0 {
			t.nodes[n.before].next = n.next
		}
		if n.next != 0 {
			t.nodes[n.next].before = n.before
		}
	}
	*n = node{}
	t.free = append(t.free, at)
	t.count--
}

// expire forgets at most so many of the nodes whose time is over.
func (t *tree) expire(now int64, most int) {
	for ; most > 0 && t.oldest != 0 && !t.alive(t.oldest, now); most-- {
		t.drop(t.oldest)
	}
}

// step is one node of what is known of the documents of a call.
type step struct {
	doc   int32 // which of the keys
	depth int32 // 0 is the first document of a prompt
}

// recall returns what a scope knows behind before of orders that begin with documents of
// keys alone: depth first, and among siblings the document of the best rank first. It
// looks at a bounded number of nodes.
func (t *tree) recall(scope string, before uint64, keys *keySet, now int64) []step {
	root := t.roots[scope]
	if root == 0 {
		return nil
	}
	at := t.edges[edge{root, before}]
	if at == 0 || !t.alive(at, now) {
		return nil
	}
	s := search{tree: t, keys: keys, now: now, looks: maxLooks + 2*len(keys.list)}
	s.found, s.stack = make([]step, 0, 32), make([]child, 0, 32)
	s.visit(at, 0)
	return s.found
}

// What bounds a search, beside some for each document: how often it looks for a child of
// a node, and how many beginnings it finds. In the traffic of a help desk both are out of
// reach: see TestSearchInAHelpDesk.
const (
	maxLooks = 384
	maxFound = 96
)

type search struct {
	tree  *tree
	keys  *keySet
	now   int64
	looks int
	found []step
	stack []child // those of the nodes on the way
}

type child struct {
	doc  int32
	node uint32
}

// visit finds the children of a node that are documents of the call.
func (s *search) visit(at uint32, depth int32) {
	start := len(s.stack)
	n := &s.tree.nodes[at]
	if int(n.children) <= len(s.keys.list) {
		for c := n.child; c != 0 && s.look(); c = s.tree.nodes[c].next {
			s.take(s.keys.find(s.tree.nodes[c].key), c)
		}
		sortChildren(s.stack[start:])
	} else {
		for doc, key := range s.keys.list {
			if !s.look() {
				break
			}
			s.take(doc, s.tree.edges[edge{at, key}])
		}
	}
	for i, end := start, len(s.stack); i < end && len(s.found) < maxFound+len(s.keys.list); i++ {
		c := s.stack[i]
		s.found = append(s.found, step{c.doc, depth})
		s.visit(c.node, depth+1)
	}
	s.stack = s.stack[:start]
}

// look says whether the search may look at one child more.
func (s *search) look() bool {
	s.looks--
	return s.looks >= 0
}

func (s *search) take(doc int, at uint32) {
	if doc >= 0 && at != 0 && s.tree.alive(at, s.now) {
		s.stack = append(s.stack, child{int32(doc), at})
	}
}

// sortChildren sorts by document; mostly there are one or two.
func sortChildren(children []child) {
	for i := 1; i < len(children); i++ {
		for j := i; j > 0 && cmp.Less(children[j].doc, children[j-1].doc); j-- {
			children[j], children[j-1] = children[j-1], children[j]
		}
	}
}
