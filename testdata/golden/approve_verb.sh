# Memories of unclear origin: refused, or kept apart until somebody decides.
export MEM_ROOT=memory
mem set /kb/go/version '{"text":"Go 1.99"}' -s 'somebody said'; echo "exit $?"
mem set /kb/go/version '{"text":"Go 1.99"}' -s 'somebody said' --on-untrusted quarantine; echo "exit $?"
mem set /kb/go/author '{"text":"Gopher"}' --kind web --name example.org --on-untrusted quarantine --json; echo "exit $?"

# What is kept apart stays out of the read; ls shows it, and why.
mem get /kb/go/version; echo "exit $?"
mem read
mem ls /untrusted
mem query -r --prefix /untrusted .source.reason

# One is let in, one is voided.
mem approve --yes /kb/go/version
mem get /kb/go/version
mem history /kb/go/version
mem reject --yes /untrusted/kb/go/author; echo "exit $?"
mem ls
mem approve --yes /kb/go/author; echo "exit $?"
mem reject --yes /kb/go/author; echo "exit $?"
mem approve --yes /never; echo "exit $?"
mem approve; echo "exit $?"

# With a source of one's own, which has to be complete.
mem set /kb/x '{"text":"x"}' -s hearsay --on-untrusted quarantine -q
mem approve --yes /kb/x --source 'I think so'; echo "exit $?"
mem approve --yes /kb/x --kind web --name example.com --url https://example.com/x; echo "exit $?"
mem get /kb/x --jq .source

# What was written there since stays, unless it is forced.
mem set /n '{"text":"from the web"}' --kind web --name example.com --on-untrusted quarantine -q 2>/dev/null
mem set /n '{"text":"newer, from the user"}' -s chat -q
mem approve --yes /n; echo "exit $?"
mem get /n
mem approve --yes /n --force; mem get /n; mem ls -1 /untrusted

# An answer without a question.
mem approve --yes; echo "exit $?"
