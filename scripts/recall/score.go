package main

// ranks are the k of R@k.
var ranks = [...]int{1, 5, 10, 20}

// score is what one query reached, or the sum of many.
type score struct {
	at    [len(ranks)]float64
	mrr   float64
	floor float64 // R@10 of what is clearly relevant
	n     int
}

// judge compares what was found with what should have been; clear is how many of the first ten stand above the floor.
func judge(q query, found []string, clear int) (s score) {
	s.n = 1
	says := map[string][]int{} // which pieces of evidence a key is, or stands for
	for i, key := range q.Evidence {
		says[key] = append(says[key], i)
		for _, other := range q.Alt[key] {
			says[other] = append(says[other], i)
		}
	}
	seen, share := map[int]bool{}, 1/float64(max(len(q.Evidence), 1))
	for rank, key := range found {
		for _, i := range says[key] {
			if seen[i] {
				continue
			}
			if len(seen) == 0 {
				s.mrr = 1 / float64(rank+1)
			}
			seen[i] = true
			s.count(rank, share)
			if rank < clear {
				s.floor += share
			}
		}
	}
	return s
}

func (s *score) count(rank int, share float64) {
	for i, k := range ranks {
		if rank < k {
			s.at[i] += share
		}
	}
}

func (s *score) add(o score) {
	for i := range s.at {
		s.at[i] += o.at[i]
	}
	s.mrr, s.floor, s.n = s.mrr+o.mrr, s.floor+o.floor, s.n+o.n
}

func (s *score) mean() score {
	m := *s
	n := float64(max(s.n, 1))
	for i := range m.at {
		m.at[i] /= n
	}
	m.mrr, m.floor = m.mrr/n, m.floor/n
	return m
}
