# needs: jq
# mem audit looks for secrets in what is stored, such as a store from before they were refused. The tokens here never were any.
export MEM_ROOT=memory
token=gh''p_$(echo 0123456789abcdefghijklmnopqrstuvwxyz | tr a-m N-Z)
mem audit; echo "exit $?"
mem set /a '"nothing here"' -s chat -q
mem audit; echo "exit $?"
mem audit -q; echo "exit $?"
mem set /b "{\"text\":\"old: $token\",\"tags\":[\"x\",\"$token\"]}" -s chat -q --allow-secret github-pat
mem set "/c/$token" 1 -s "from $token" -q --allow-secret github-pat
mem set /d --text "expired: $token" -s chat --expires 2026-02-01 -q --allow-secret github-pat
mem audit; echo "exit $?"
mem audit --prefix /b; echo "exit $?"
mem audit --json | jq -c '.scanned, .found[0]'; echo "exit ${PIPESTATUS[0]}"
mem audit --jq '.found[].place'; echo "exit $?"

# What was voided stays in the log, and in its history.
mem rm /b "/c/$token"
mem audit; echo "exit $?"
mem audit --history --prefix /b; echo "exit $?"
mem audit --history --jq '.scanned'; echo "exit $?"
mem audit extra; echo "exit $?"
