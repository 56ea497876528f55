# A store in which a mem before 0.2.0 marked lines beside the log is refused; the other layer goes on.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}/-01234567/g'; }
start() { echo '{"hook_event_name":"SessionStart","session_id":"'$1'","cwd":"'$PWD'"}' | mem hook claude-code; echo "exit $?"; }
git init -q app; cd app
mem set /user/own '{"type":"rule","text":"the rule of the person"}' --source me -q
mem set /a '{"text":"the fact of the project"}' --source me -q
user=~/.local/share/mem; project=$(echo ~/.local/share/mem-projects/app-*)

# The user's own.
touch $user/imported
mem ls; echo "exit $?"
mem get /user/own; echo "exit $?"
mem set /user/b 1 -s chat; echo "exit $?"
mem set /b 1 -s chat -q; mem ls -q
mem ls --layer user; echo "exit $?"
mem --root $user fsck --repair; echo "exit $?"
mem fsck --all 2>&1 | hide
mem doctor | grep -E '^warn +ignored'
start one | hide
rm $user/imported; start two | hide

# The project's.
touch $project/imported
mem ls 2>&1 | hide
mem set /c 1 -s chat 2>&1 | hide
mem note 'a fact of the project' 2>&1 | hide
start three | hide

# Both.
touch $user/imported
mem ls 2>&1 | hide; start four | hide
cd ..
mem ls; start five
rm $user/imported $project/imported; mem ls

# An archive of such a store is refused as a whole, and an exchange stops at the store.
mem export --all-layers --out all.tar; mkdir tar; tar -C tar -xf all.tar; ls tar
touch tar/user/imported
tar -C tar -cf old.tar $(ls tar); mem import old.tar; echo "exit $?"; mem import old.tar --root elsewhere; echo "exit $?"; ls elsewhere 2>&1
cd app; mem sync init ../depot --yes -q > /dev/null 2>&1; touch $user/imported
mem sync; echo "exit $?"
rm -r $user/imported ../tar
