# What a system prompt says about mem. It needs no store, and makes none.
mem prompt
mem prompt --jq '.tokens < 400'
mem prompt --log-level loud; echo "exit $?"
mem prompt more; echo "exit $?"
ls
