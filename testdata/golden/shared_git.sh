# Git replaces the log of a shared store at will: what it has put there counts, and nothing else.
# needs: git
git init -q -b main app && cd app && git config user.name ada && git config user.email ada@example.com
ids() { sed -E 's/m-([0-9]+)-[a-z]{6}/m-\1-xxxxxx/g'; }
look() { mem notes --jq '.memories[] | "\(.id) \(.text)"' 2>&1 | ids | sort; mem fsck 2>&1 | grep -v user; echo "exit ${PIPESTATUS[0]}"; mem doctor -q | grep -v 'path\|trust'; git status --short; }
git commit -q --allow-empty -m 'before mem' && git branch before
mem init --shared -q; git add .mem && git commit -qm init
mem note a | ids; mem compact -q; git commit -qam a

# Checkout: what another branch noted is not here, whatever was compacted there.
git checkout -q -b f && mem note b | ids && mem compact -q && git commit -qam b && look
git checkout -q main && look
mem note c | ids; look
mem ls /note | wc -l; find .mem/index -name '*.json' | wc -l; ls .mem/quarantine 2>&1
git commit -qam c

# Merge, with a compaction on both sides; here the same line may stand twice.
mem compact -q; git merge -q f -m merged 2>&1; look
mem note d | ids; mem compact -q; git commit -qam d; look

# Revert, of the last note, and of an older one, whose line stays: a union keeps both sides.
git revert --no-edit HEAD >/dev/null; look
mem note e | ids; git commit -qam e; mem note f | ids; git commit -qam f; git revert --no-edit HEAD~1 >/dev/null 2>&1; git revert --quit; look

# Reset and stash.
mem note g | ids; mem compact -q; git reset -q --hard; look
mem note h | ids; mem compact -q; git stash -q; look
git stash pop -q; look
git commit -qam h

# Rebase.
git checkout -q -b r HEAD~1 && mem note i | ids && mem compact -q && git commit -qam i && git rebase -q main 2>&1; look
git checkout -q main && git merge -q r && look

# A clone that compacts, and a pull on both sides.
git clone -q . ../clone && cd ../clone && git config user.name eve && git config user.email eve@example.com && mem trust --yes -q 2>/dev/null
mem compact -q; mem note j | ids; mem compact -q; git commit -qam j; look
cd ../app && mem note k | ids; mem compact -q; git commit -qam k; git pull -q --no-rebase --no-edit ../clone main 2>&1; look

# It is never rotated: git would not see the new file, and a merge would bring the lines back.
echo '{"rotate":{"lines":3,"bytes":100000}}' > .mem/config.json
mem compact; ls .mem/archive; git status --short; look
mem compact --if-needed

# One that was rotated before it was shared keeps its archives, as git has them.
git init -q -b main ../late && cd ../late && git config user.name ada && git config user.email ada@example.com
mem init -q; echo '{"rotate":{"lines":1,"bytes":1}}' > .mem/config.json; mem note old; mem compact -q; mem note young
mem init --shared --yes -q >/dev/null 2>&1; git add .mem; git commit -qm shared; git ls-files | sed 's/_[0-9TZ]*//'
git rm -q .mem/archive/*; git commit -qm 'without the archive'; look
mem note next | ids; look; git commit -qam next
git revert --no-edit HEAD~1 >/dev/null; look

# A file that was edited by hand is kept, and told.
sed -i s/next/edited/ .mem/index/note/workspace/m-3*; git checkout -q HEAD~1
mem note more 2>&1 | sed 's/@.*//' | ids; ls .mem/quarantine | wc -l; git stash -q; git checkout -q main; look

# A damaged line stays a finding, and a check leaves it to git.
sed -i '1s/content/contnet/' .mem/log.jsonl; mem fsck 2>&1 | cut -c 1-60; git status --short; git checkout .mem 2>&1; look

# A branch without .mem: what mem made of it is no store, and nothing of it comes back.
cd ../app && git checkout -q before; look; mem note elsewhere; mem where | cut -f 1,2; git checkout -q main; look
