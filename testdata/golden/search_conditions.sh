# needs: jq
# Conditions alone, on what is compacted and on what came since: types, tags, times, importance, links.
export MEM_ROOT=memory MEM_NOW=2026-02-22T12:00:00Z
say() { mem set "$@" --force -s chat -q; }
say /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA1 '{"type":"finding","text":"tokens leak","importance":0.704,"tags":["security.authentication","api"],"created_at":"2026-02-20T23:59:59Z","references":["mem_01ARZ3NDEKTSV4RRFFQ69G5FA2","/decision/db"]}'
say /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA2 '{"type":"decision","text":"rotate tokens","importance":0.705,"tags":["security"],"timestamp":"2026-02-21T00:00:00Z","references":["mem_01ARZ3NDEKTSV4RRFFQ69G5FA3","mem_01ARZ3NDEKTSV4RRFFQ69G5FA1"]}'
say /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA3 '{"type":"conversation","text":"a talk about tokens","tags":["api"],"references":["no/key",7,"mem_gone"]}'
mem compact -q
say /decision/db '{"type":"decision","text":"PostgreSQL","importance":9,"tags":["db"],"references":["/decision/old"]}'
say /decision/old '{"type":"decision","text":"SQLite","importance":2,"tags":["db","security.audit"],"created_at":"2025-12-01"}'

for _ in 1 2; do
	mem search --type finding --type decision
	mem search --type finding,conversation --session s1
	mem search --tag security
	mem search --tag security --tag api
	mem search --tag 'api,db' --tag '!security'
	mem search --since 2026-02-21 --until 2026-02-21
	mem search --until 2026-02-20
	mem search --since 36h --sort importance
	mem search --min-importance 0.7045 --sort importance
	mem search --min-importance 0.1 --sort time --limit 2
	mem search tokens --sort time
	mem search tokens --sort importance
	echo "# links"
	mem search --references /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA1
	mem search --references /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA1 --depth 2
	mem search --references /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA1 --depth 9 --type decision --sort importance
	mem search tokens --references /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FA1 --depth 2
	mem search --references /decision/old; echo "exit $?"
	rm -rf memory/cache # files
	echo "# without the columns"
done

# Dates that people read are those of the memory; ts stays that of the write.
mem ls
mem search --tag audit; mem search --tag security.audit --json | jq -c '.memories[]|[.key,.ts,.time]'
mem read --prefix /decision --json | jq -c '.memories[]|[.key,.ts,.time,.score.recency]'
mem ls /decision --json | jq -c '.memories[]|[.key,.ts,.time]'

# What has no answer.
mem search --references /none; echo "exit $?"
mem search --depth 2 --tag x; echo "exit $?"
mem search --sort size --tag x; echo "exit $?"
mem search --sort time; echo "exit $?"

# Wildcards, in any case; a question mark at the end of a word is one.
mem search 'post*sql'
mem search '*ITE'
mem search 't?kens' --limit 1
mem search 'what about tokens?' --limit 1

# An id means the memory beside, or else the only one that has it.
say /session/s9/mem_01ARZ3NDEKTSV4RRFFQ69G5FB1 '{"text":"goes back","references":["mem_01ARZ3NDEKTSV4RRFFQ69G5FA3","mem_01ARZ3NDEKTSV4RRFFQ69G5FB2"]}'
say /session/s8/mem_01ARZ3NDEKTSV4RRFFQ69G5FB2 '{"text":"one of two"}'
mem search --references /session/s9/mem_01ARZ3NDEKTSV4RRFFQ69G5FB1
mem compact -q
say /session/s7/mem_01ARZ3NDEKTSV4RRFFQ69G5FB2 '{"text":"the other of two"}'
mem search --references /session/s9/mem_01ARZ3NDEKTSV4RRFFQ69G5FB1

# A ! is for the whole list; in a query a minus is for tags and types, too.
mem search --tag 'api,!security'; mem search --tag '!api,!db'; echo "exit $?"
mem search --tag api --tag '!security'
mem search 'tokens -tag:security'; mem search 'tokens -type:decision,conversation'; mem search -- -type:decision,finding
mem search 'tokens -key:/session'; echo "exit $?"
mem touch /decision/db --tag '!x'; echo "exit $?"
