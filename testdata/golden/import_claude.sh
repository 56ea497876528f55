# needs: cmp
# A memory folder of Claude Code.
# served: no (it imports a folder)
export MEM_ROOT=memory
mkdir -p folder/sub folder/.hidden
cat > folder/MEMORY.md <<'EOF'
# Memory

- [Indentation](indent.md) — tabs
- [Ada](./用户.md)
- [Notes](sub/My%20Notes.md)
- [Gone](gone.md) — not there any more
The build needs Go 1.26.
EOF
printf -- '---\nname: Indentation\ndescription: "tabs: not \\"spaces\\""\ntype: feedback\n---\n\nUse tabs.\n\n# Why\nFewer bytes.\n' > folder/indent.md
printf '\xef\xbb\xbf---\r\nname: '"'It''s Ada'"'\r\ndescription: >\r\n  a long\r\n  story\r\nmetadata:\r\n  type: user\r\noriginSessionId: abc\r\n---\r\n住在上海\r\n第二行\r\n' > folder/用户.md
printf -- '---\nname: x\nno end mark\n' > folder/noend.md
printf 'plain notes\n' > 'folder/sub/My Notes.md'
printf 'not seen' > folder/.hidden/secret.md; printf 'not seen' > folder/notes.txt
mem import folder --dry-run
mem import folder
mem import folder
mem query '[.key,.content]'
mem query --prefix /claude/indent '.source|del(.retrieved_at)'
mem read

# An edit is one change; a new line in MEMORY.md too.
printf -- '---\nname: Indentation\n---\n\nUse four spaces.\n' > folder/indent.md
echo 'Ada is back in May.' >> folder/MEMORY.md
mem import folder
mem import folder
mem import folder/noend.md
mem import folder --prefix /project/x
mem ls -1
