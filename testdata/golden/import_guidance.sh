# A file of guidance that a person wrote for a client: a memory for each bullet and paragraph.
# served: no (it imports a file)
export MEM_ROOT=memory
printf '# Shop\n\nThe web shop; see @docs/shop.md for its parts.\n\n' > CLAUDE.md
printf '## Tests\nBefore a commit:\n- run `make test`\n- look at the coverage:\n  it never falls\n\n' >> CLAUDE.md
printf '## Style\n<!-- not for models -->\n- tabs\n\n@docs/more.md\n' >> CLAUDE.md
mem import CLAUDE.md --dry-run
mem import CLAUDE.md
mem query '[.key, .content]'
# The same file again, moved, and with one new text.
mkdir old && cp CLAUDE.md old/ && mem import old/CLAUDE.md
printf '\n- no magic numbers\n' >> CLAUDE.md; mem import CLAUDE.md; mem import CLAUDE.md
mem search coverage
mem undo --last; mem ls -1
# What has nothing to keep, and what is refused.
printf '<!-- only a comment -->\n' > AGENTS.md; mem import AGENTS.md; echo "exit $?"
printf -- '- the key is ghp_%s\n- tabs\n' 0123456789abcdefABCDEF0123456789abcd > GEMINI.md; mem import GEMINI.md; echo "exit $?"
mem import GEMINI.md --keep-going; echo "exit $?"

# Below /rules a text of a file is a fact until a person approves it.
echo "{\"key\":\"/style\",\"content\":{\"text\":\"Use tabs\"}}" > rules.jsonl
mem import rules.jsonl --prefix /rules --mine --yes
mem read --prefix /rules
mem approve /rules/style --yes
mem read --prefix /rules
