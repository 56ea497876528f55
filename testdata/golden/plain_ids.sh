# A store of an earlier mem has notes whose ids have no letters: sync and doctor name them, and a repair gives them letters.
# postgres: no (it is about files that a machine has)
# needs: jq
mem --root before note 'The NAS is 10.0.0.9' --scope user -q; mem --root before note 'The NAS is 10.0.0.7' --scope user --replaces m-1 -q
mem --root before set /user/see '{"text":"see the note","references":["/note/user/m-2"]}' -s me -q
mkdir -p .local/share/mem; cp before/log.jsonl .local/share/mem/; mem ls --keys; mem get m-2
mem sync init depot --yes -q > key; mem doctor | grep '^warn.* ids'
mem fsck --repair; mem fsck --repair; mem sync 2>&1 | cut -f 2-; mem doctor | grep -c '^warn.* ids'
mem ls --keys; mem get m-2; mem get m-1 | jq -r .superseded_by; mem get /user/see | jq -c .references; mem search --references /user/see | cut -f 1; mem audit --dangling

# An import of the same file meets the same notes; another root has plain ids.
mem import before/log.jsonl --yes; mem --root plain import before/log.jsonl --yes; mem --root plain ls --keys
mem copy before other/.mem 2>&1 | tail -n 4; mem --root other/.mem ls --keys
