# What mem setup refuses changes nothing.
mem() { PATH=${PATH%%:*} command mem "$@"; }
export MEM_ROOT=memory
mem setup emacs; echo "exit $?"
mem setup agents-md --user; echo "exit $?"
mem setup agents-md --hooks-only; echo "exit $?"
mem setup --check; echo "exit $?"
mem setup codex --project --user; echo "exit $?"
mkdir .gemini
printf '{\n  "a": 1,\n  b: 2\n}\n' > .gemini/settings.json
mem setup gemini; echo "exit $?"
echo '{"hooks": null}' > .gemini/settings.json
mem setup gemini --json; echo "exit $?"
mem setup | grep gemini
echo '<!-- mem:begin -->' > .gemini/GEMINI.md
echo '{}' > .gemini/settings.json
mem setup gemini; echo "exit $?"
rm .gemini/GEMINI.md
chmod 444 .gemini/settings.json
mem setup gemini; echo "exit $?"
cat .gemini/settings.json
ls -A .gemini
