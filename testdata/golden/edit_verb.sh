# A memory is changed in the editor of a person.
# served: no (the hint of an edit that is lost has other words)
# needs: jq sed
export MEM_ROOT=memory TMPDIR=$PWD/tmp; mkdir tmp
hide() { sed -E 's/mem-edit-[0-9]+/mem-edit-1/g'; }
mem set /project/db '{"text":"the port is 3306","n":1.50,"big":12345678901234567890}' -s chat -q
EDITOR='sed -i s/3306/5432/' mem edit /project/db
mem get /project/db; mem history /project/db | cut -f 1-3; mem get /project/db --jq .source

# The editor is shown indented JSON in a file of one's own; VISUAL comes before EDITOR.
EDITOR=false VISUAL='cat' mem edit /project/db
VISUAL='stat -c %a' mem edit project/db; VISUAL='sh -c "stat -c %a \"\$(dirname \"\$1\")\"" sh' mem edit /project/db
EDITOR='jq -c -S . >/dev/null' mem edit /project/db --json
EDITOR='sed -i s/1.50/1.5/' mem edit /project/db --json; ls tmp

# What is no JSON is not stored, and kept; nothing is done with an empty file.
EDITOR="sed -i '2s/,/;/'" mem edit /project/db 2>&1 | hide; EDITOR="sed -i '2s/,/;/'" mem edit /project/db 2>/dev/null; echo "exit $?"
head -qn 2 tmp/*/memory.json; rm -r tmp/*
EDITOR='sh -c ": > \"\$1\"" sh' mem edit /project/db; echo "exit $?"; ls tmp

# Who writes meanwhile wins; what was typed is kept.
EDITOR='f() { mem set /project/db 1 -s other -q; echo 2 > "$1"; }; f' mem edit /project/db 2>&1 | hide | sed -E 's/"checksum.*/.../'
mem get /project/db; cat tmp/*/memory.json
mem set /project/db @"$(ls tmp/*/memory.json)" --source me; rm -r tmp/*

# What set refuses edit refuses too.
EDITOR='f() { echo "{\"password\":\"hunter2xyz\"}" > "$1"; }; f' mem edit /project/db 2>&1 | hide; rm -r tmp/*
EDITOR=true mem edit /none; echo "exit $?"
EDITOR=nosuch mem edit /project/db 2>/dev/null; echo "exit $?"
EDITOR=nosuch mem edit /project/db 2>&1 | tail -n 2
EDITOR='exit 3; :' mem edit /project/db; echo "exit $?"
mem set /kb/x 1 -s chat --on-untrusted quarantine -q; EDITOR=true mem edit /untrusted/kb/x; echo "exit $?"
mem set /old '{"text":"x","expired_at":"2020-01-01"}' -s chat -q 2>/dev/null; EDITOR=true mem edit /old; echo "exit $?"
EDITOR=true mem edit /old --expired; ls tmp

# What has expired says so; null deletes.
mem set /over '{"text":"x","expired_at":"2026-02-21"}' -s chat -q
mem get /over; mem edit /over; echo "exit $?"; mem get /over --json; mem get /over --expired
EDITOR='sed -i s/\"x/\"y/' mem edit /over --expired 2>&1
echo 'echo null > "$1"' > delete.sh; EDITOR='sh delete.sh' mem edit /over --expired; mem undo /over -q 2>/dev/null; mem get /over --expired
mem log m-1; mem mv /over m-7; mem history m-7; echo "exit $?"
mem purge /over; mem delete /over; mem revert /over; mem rename /over /x; echo "exit $?"
mem search x --min-importance y; mem search x --limit y; mem search x --since y; mem undo /over --to y --json; echo "exit $?"

# Without a terminal there is no editor to wait for.
mem set /unattended 1 -s t -q
env -u EDITOR -u VISUAL mem edit /unattended < /dev/null; echo "exit $?"; ls tmp
