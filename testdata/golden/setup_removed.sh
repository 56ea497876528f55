# A client that setup alone has made a folder for is not on this machine after it.
mem setup codex -q
mem setup codex --remove -q; ls -A
mem setup | grep codex
mkdir .codex; echo > .codex/mine; mem setup codex -q; mem setup codex --remove -q; ls -A .codex
