# Memories change their layer with their time and their source.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}/-01234567/g'; }
mem --now 2026-01-01T10:00:00Z set /project/db '"written before"' -s chat -q
mem --now 2026-01-02T10:00:00Z note 'of no project' -q; mem note 'mine' --scope user -q; mem set /user/x 1 -s chat -q
git init -q app && cd app
mem doctor | grep unfiled
mem note 'of the project'
mem move --unfiled; mem ls -l; mem doctor | grep -c unfiled
mem history /project/db | cut -f 1,2,3
mem get /project/db --envelope | cut -c 1-60
mem move --unfiled; echo "exit $?"
mem move m-2 /project/db --to user; mem move u-3 --to project; mem ls -l
mem move nothing --to user; echo "exit $?"
mem move --to user; mem move /x; mem move /x --to team; mem move /x --to user --root r; echo "exit $?"
(cd .. && mem move /user/x --to project); echo "exit $?"

# What is newer where it would go stays where it is.
mem set /k 1 -s chat -q --layer user; mem --now 2026-02-22T11:00:00Z set /k 2 -s chat -q
mem move /k --to project; mem ls -l /k

# What happened stays where it did, and one store is no two.
event=$(mem event --session s1 --text 'it happened' --jq .event_id); mem move /k "$event" --to user 2>&1 | sed 's/evt_[^ :]*/ID/'; mem ls -l /k
mem move "/event/s1/$event" /k --to user 2>&1 | sed 's/evt_[^ :]*/ID/'; mem move /k --from "$(mem where --jq '.stores[0].root')" --to project; echo "exit $?"

# References follow: a successor, one in a list, and those of what stays where it can read the other store.
mem note 'first' -q; mem note 'second' -q --replaces m-4; mem set /refs '{"references":["/note/workspace/m-5","/user/x"]}' -s chat -q
mem ls; mem move m-5 /refs --to user; mem ls; mem get /refs --jq .content; mem undo --last; mem ls

# A store of a repository that is gone is taken in.
cd .. && mv app moved && cd moved && mem ls -1
mem move --from "$(mem where --all --jq '.stores[] | select(.gone) | .root')" --to project; mem ls -1
mem move --from nowhere --to project; echo "exit $?"; mem fsck --all | hide
