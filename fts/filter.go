package fts

// filter finds which docs may be hits, by the query's conditions.
func (s *search) filter() error {
	q := s.query
	for _, tags := range q.tags {
		if err := s.demand(kindTag, tags); err != nil {
			return err
		}
	}
	if len(q.types) > 0 {
		if err := s.demand(kindType, q.types); err != nil {
			return err
		}
	}
	for _, words := range q.phrases {
		set, err := s.withAll(words.terms)
		if err != nil {
			return err
		}
		s.restrict(set)
	}
	for _, terms := range q.without {
		set, err := s.withAll(terms)
		if err != nil {
			return err
		}
		for i := range set {
			set[i] = ^set[i]
		}
		s.restrict(set)
	}
	return nil
}

// demand lets only those docs be hits that have one of some terms.
func (s *search) demand(kind string, names []string) error {
	set := s.emptySet()
	for _, name := range names {
		if err := s.addDocs(set, kind+name); err != nil {
			return err
		}
	}
	s.restrict(set)
	return nil
}

// withAll gives the docs that have all of some terms.
func (s *search) withAll(terms []string) (all []uint64, err error) {
	for _, term := range terms {
		set := s.emptySet()
		if err := s.addDocs(set, term); err != nil {
			return nil, err
		}
		all = intersect(all, set)
	}
	return all, nil
}

func (s *search) emptySet() []uint64 { return make([]uint64, (s.size()+63)/64) }

func (s *search) addDocs(set []uint64, term string) error {
	t, err := s.open(term)
	if err != nil {
		return err
	}
	return s.each(&t, func(docs []posting) error {
		for _, p := range docs {
			set[p.row/64] |= 1 << (p.row % 64)
		}
		return nil
	})
}

func (s *search) restrict(set []uint64) { s.allowed = intersect(s.allowed, set) }

// intersect gives what is in both sets, in the first; nil is the set of all.
func intersect(a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	for i := range b {
		a[i] &= b[i]
	}
	return a
}

func (s *search) isAllowed(doc uint32) bool {
	return s.allowed == nil || s.allowed[doc/64]&(1<<(doc%64)) != 0
}
