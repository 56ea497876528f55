# Sources that are missing, malformed or not enough; nothing is stored.
export MEM_ROOT=memory
mem set /k 1; echo "exit $?"
mem set /k 1 -s ''; echo "exit $?"
mem set /k 1 -s '[1]'; echo "exit $?"
mem set /k 1 -s '{"kind":'; echo "exit $?"
mem set /k 1 -s @missing.json; echo "exit $?"
mem set /k 1 -s chat --kind user; echo "exit $?"
mem set /k - -s -; echo "exit $?"
mem set /k 1 --kind robot --name x; echo "exit $?"
mem set /k 1 --kind web; echo "exit $?"
mem set /k 1 --kind tool --name search; echo "exit $?"
mem set /k 1 --kind web --name x --url u --locator l; echo "exit $?"
mem set /k 1 --kind web --name x --url u --retrieved-at yesterday; echo "exit $?"
mem set /k 1 -s '{"kind":"web","name":"x","retrieved_at":"yesterday","locator":{"url":"u"}}'; echo "exit $?"
mem set /k 1 -s '{"kind":"web","name":" ","retrieved_at":"2026-02-22T10:00:00Z","locator":{"url":""}}'; echo "exit $?"
mem set /k 1 -s '{"kind":"file","name":"x","retrieved_at":"2026-02-22T10:00:00Z","locator":{}}'; echo "exit $?"
mem set /k 1 --kind user --locator '{bad'; echo "exit $?"
mem set /k 1 -s https://example.com/page; echo "exit $?"
mem set /k 1 -s '{"name":"page","locator":{"url":"https://example.com"}}'; echo "exit $?"
mem set /kb/k 1 --kind user --name chat; echo "exit $?"
mem set //kb///k 1 -s chat; echo "exit $?"
mem set /kb 1 -s chat --json; echo "exit $?"
mem ls

# A tombstone brings nothing in: any source will do, even under /kb. So do complete sources, and namespaces that only look alike.
mem set /kb/k null -s chat; echo "exit $?"
mem set /kbx/k 1 -s chat -q; echo "exit $?"
mem set /kb/k 1 --kind agent --name dream --locator 'session 7' -q; echo "exit $?"

# config.json may name more namespaces; a misspelt one is no silent nothing.
mem config set knowledge '["/facts"]' -q --yes
mem set /facts/k 1 -s chat; echo "exit $?"
mem get /kb/k; mem read; echo "exit $?"
echo '{"knowlege":["/facts"]}' > memory/config.json # files
mem set /other 1 -s chat; echo "exit $?" # files
mem get /kb/k; mem read; echo "exit $?" # files
