# The ways to name the source of a write.
export MEM_ROOT=memory
mem set /s/text 1 --source 'chat with Ada' -q
mem set /s/object 1 --source '{"kind":"user","name":"chat","extra":[1, 2]}' -q
mem set /s/string 1 --source '"quoted"' -q
echo '{"kind":"agent","name":"from a file"}' > source.json
mem set /s/file 1 --source @source.json -q
echo '{"kind":"agent","name":"from a pipe"}' | mem set /s/pipe 1 --source - -q
mem set /s/pieces 1 --kind user --name chat -q
mem set /s/url 1 --kind web --name go.dev --url 'https://go.dev/dl?a=1&b=2' --retrieved-at 2026-02-21T08:00:00+08:00 -q
mem set /s/locator 1 --kind tool --name search --locator '{"query":"go 1.26"}' -q
mem set /s/words 1 --kind file --name notes --locator notes/today.md -q
mem query -r '"\(.key) \(.source | tojson)"'
mem set /s/twice 1 --source '{"kind":"web","KIND":"user"}'; echo "exit $?"
