# What an edit brings, where a name could mislead.
mkdir -p p/web/cart p/.git q/.git && touch p/.git/HEAD q/.git/HEAD && ln -s web p/lnk && cd p
edit() {
	printf '{"hook_event_name":"PreToolUse","session_id":"%s","cwd":"%s","tool_name":"Edit","tool_input":{"file_path":"%s"}}' \
		"$1" "$PWD" "$2" | mem hook claude-code | jq -r '.hookSpecificOutput.additionalContext' | grep '^(' | sed 's/, .*)/)/'
}
echo 1 >web/cart/price.ts
mem note 'Prices are in cents' --file web/cart/price.ts
mem note 'The web is old' --file web
mem note 'Scripts are strict' --file '**/*.ts'

# Many memories that name the folder, or another conversation's own, do not hide the closest.
for i in $(seq 70); do echo "{\"key\":\"/x/$i\",\"content\":\"item $i of web/cart/ and more\",\"source\":\"t\"}"; done | mem set - -q
for i in $(seq 70); do CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=other mem note --scope session --file web/cart/price.ts "own $i" >/dev/null; done
edit s1 web/cart/price.ts
mem compact -q && edit s2 web/cart/price.ts

# Through a link; below a folder that was named without its slash.
edit s3 lnk/cart/price.ts
edit s4 web/new.css

# A pattern holds in its project, and a relative path of the user's store nowhere.
edit s5 ~/q/web/price.ts
mem move m-1 --to user
cd ~/q && mkdir -p web/cart && echo 2 >web/cart/price.ts
edit s6 web/cart/price.ts
mem search cents | cut -f 4
mem fsck | tail -n 2
