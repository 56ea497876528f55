# Notes: short facts under ids of their own.
export MEM_ROOT=memory
mem note 'User prefers tabs over spaces' --tag preference --scope user; echo "exit $?"
mem note 'Project uses PostgreSQL 16 on port 5432' --tag infra
mem note 'Deploy target is AWS us-east-1' --tag infra,deploy --scope session
mem note '用户喜欢中文、偏好简洁' --tag a --tag b,c --jq .id
printf 'two lines\nfrom a pipe\n' | mem note -
mem note '@ada owns the build' -q --source 'chat with Ada'
mem ls
mem history /note/workspace/m-6
cat memory/index/note/user/* # files

# What is refused, and how. Nothing of it is stored.
mem note ''; echo "exit $?"
mem note; echo "exit $?"
mem note User prefers tabs; echo "exit $?"
mem note "$(printf '牙%.0s' $(seq 501))"; echo "exit $?"
mem note "$(printf '牙%.0s' $(seq 500))"; echo "exit $?"
mem note x --tag a,b,c,d,e,f; echo "exit $?"
mem note x --tag a,b,c,d,e; echo "exit $?"
mem note x --scope team; echo "exit $?"
mem note $'\xff'; echo "exit $?"
mem note - --source - < /dev/null; echo "exit $?"
mem note '' --json; echo "exit $?"
mem stat --jq .live

# A secret is refused on standard output too, where a program reads the answer. The rule stays on stderr.
mem note "key sk-$(printf 'a1B2%.0s' $(seq 12))" 2> err; echo "exit $?"; sed 's/: .*: /: ... /' err | head -n 1
mem note "key sk-$(printf 'a1B2%.0s' $(seq 12))" --jq .error 2> /dev/null; echo "exit $?"
mem note "key sk-$(printf 'a1B2%.0s' $(seq 12))" -q 2> /dev/null; echo "exit $?"
mem note '' 2> /dev/null; echo "exit $?"
