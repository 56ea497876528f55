# needs: cmp diff
# A memory folder for Claude Code: MEMORY.md with links, and a file for each memory.
export MEM_ROOT=memory
mem set /claude/indent '{"type":"feedback","summary":"tabs: not spaces","title":"Indentation","text":"Use tabs.\n\n---\n# Why\n"}' -s chat -q
mem set /user/preference/style '{"type":"preference","summary":"用户喜欢中文","importance":6,"tags":["language"]}' -s chat -q
mem set /plain '"only\n---\ntext"' -s chat -q
mem set /list '[1,{"a":2.0}]' -s chat -q
mem set /User '{"text":"---\nmem: {}"}' -s chat -q
mem set /claude/con '{"text":"a device elsewhere"}' -s chat -q
mem set /old '{"text":"over","expired_at":"2026-02-22T09:00:00Z"}' -s chat -q
mem set /kb/x '{"text":"apart"}' -s chat --on-untrusted quarantine -q 2> /dev/null
mem export --format claude-memory --out folder
ls -A folder
for file in folder/*; do echo "== $file"; cat "$file"; done

# In again: nothing new here, the same memories elsewhere.
mem import folder
mem --root other import folder; mem --root other import folder
diff <(mem query 'select(.key|startswith("/untrusted")|not)|[.key,.content]') <(mem --root other query '[.key,.content]') && echo 'the same memories'
mem export --format claude-memory --out folder --json

# What mem wrote follows the store: a changed memory, and one that is gone.
mem set /plain '"changed"' -s chat -q; mem rm /list
mem export --format claude-memory --out folder --json
ls folder; tail -n 1 folder/plain-*.md

# What others wrote stays, and is in nobody's way.
printf 'mine\n' > folder/mine.md; printf 'x' > folder/notes.txt
mem export --format claude-memory --out folder --json

# A file that was edited since is not replaced, until its edit is in the store.
sed -i 's/Use tabs/Use spaces/' folder/indent.md; echo 'A line of Claude.' >> folder/MEMORY.md; echo '- [Mine](mine.md) — mine' >> folder/MEMORY.md
mem export --format claude-memory --out folder; echo "exit $?"
mem import folder
mem export --format claude-memory --out folder
mem get /claude/indent; mem get /claude/MEMORY; mem get /claude/mine
grep -v '^mem' folder/mine.md; cat folder/MEMORY.md # its version is that of a file with a whole path

# An edited file of a memory that is gone is not removed either.
mem rm /claude/mine; echo edited >> folder/mine.md
mem export --format claude-memory --out folder; echo "exit $?"

# A folder of somebody else's.
mkdir theirs; printf '# Mine\n' > theirs/MEMORY.md; printf 'theirs\n' > theirs/indent.md; ln -s /etc/passwd theirs/con.md
mem export --format claude-memory --out theirs; echo "exit $?"
ls theirs; cat theirs/MEMORY.md

# Two projects in one store: the same prefix on the way in and out.
mkdir project; printf 'build with make\n' > project/build.md
mem import project --prefix /src; mem export --format claude-memory --prefix /src --out project
printf 'test with make test\n' > project/test.md; sed -i 's/make$/make all/' project/build.md
mem import project --prefix /src; mem export --format claude-memory --prefix /src --out project
mem ls /src; ls project
