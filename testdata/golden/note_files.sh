# A note names the files that it is about: an edit of one brings it, and a change of one shows.
cd "$(mktemp -d)" && mkdir -p web/cart .git && touch .git/HEAD
echo 'x = 1' >web/cart/price.ts
mem note 'Prices round half to even' --file web/cart/price.ts --file 'web/**/*.tsx'
(cd web && mem note 'The cart is old' --file cart/)
mem query '.content.files // empty | map({path, size}) | tojson'
mem note 'Elsewhere' --file ../x.ts; echo "exit $?"
mem note 'Too many' --file a --file b --file c --file d --file e; echo "exit $?"
printf 'x = 1\r\n' >web/cart/price.ts
mem search prices | cut -f 4
echo 'x = 2' >web/cart/price.ts
mem search prices | cut -f 4
mem search prices --json | jq -r '.memories[].remark'
mem notes | jq -c '.memories[] | [.id, .remark]'
mem audit --moved | cut -f 2,4; echo "exit $?"
rm web/cart/price.ts
mem read | grep -c 'Prices round half to even (file is gone)'
mem audit --moved | cut -f 2,4
echo 'x = 3' >web/cart/price.ts
mem note 'Prices round half to even' --file web/cart/price.ts
mem audit --moved; echo "exit $?"
mv web/cart/price.ts web/amount.ts
mem audit --moved | cut -f 4,5 | sed "s|$PWD|DIR|"
mem audit --moved | cut -f 5 | grep ' note ' | sh
mem audit --moved; echo "exit $?"
mv web/amount.ts web/cart/price.ts
mem note 'Prices round half to even' --file web/cart/price.ts

# An edit of the file, of a folder, by a pattern; once in a conversation; nothing else.
edit() {
	printf '{"hook_event_name":"PreToolUse","session_id":"%s","cwd":"%s","tool_name":"%s","tool_input":{"file_path":"%s"}}' \
		"$1" "$PWD" "${3:-Edit}" "$2" | mem hook claude-code | jq -r '.hookSpecificOutput.additionalContext' | sed 's/, .*)/)/'
}
edit s1 web/cart/price.ts
edit s1 web/cart/price.ts
edit s2 "$PWD/web/cart/total.ts"
edit s2 web/index.ts
edit s1 web/cart/price.ts
mem injections --why | cut -f 3,4,6-
edit s3 web/cart/price.ts Read
edit s3 web/cart/price.ts Bash
mem compact >/dev/null
edit s4 web/cart/price.ts
# A correction is about the same files, as they are now.
mem note 'Prices round half up' --replaces m-1 >/dev/null
mem query '.content | select(.text == "Prices round half up").files | map(.path) | tojson'
edit s6 web/cart/price.ts
mem config set inject.at_edit false --layer user >/dev/null
edit s5 web/cart/price.ts
mem fsck | tail -n 2

# An audit of all stores compares the files of this project with its own memories alone.
echo 'x = 4' >web/cart/price.ts
mkdir -p ~/b/.git ~/b/web/cart && touch ~/b/.git/HEAD && echo 'x = 5' >~/b/web/cart/price.ts
(cd ~/b && mem note 'B rounds down' --file web/cart/price.ts)
mem audit --moved --all | sed -E 's/-[0-9a-f]{8}/-HASH/g; s/tmp\.[A-Za-z0-9]+/TMP/g'
mem fsck --all >/dev/null; echo "exit $?"
