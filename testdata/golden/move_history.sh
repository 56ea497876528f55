# A store that is taken in as a whole keeps the ids of its notes and its history, where no note is in the way.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}/-01234567/g'; }
git init -q old; git init -q new; cd old
mem note 'The database is MySQL' -q; mem note 'Deploy on Mondays' -q; mem note 'a mistake' -q
mem note 'The database is PostgreSQL' --replaces m-1 -q; mem forget m-3 --yes -q; mem note 'of a conversation' --scope session -q
mem set /project/port 1 -s chat -q; mem set /project/port 2 -s chat -q; mem set /project/gone 1 -s chat -q; mem rm /project/gone -q
mem journal 'an entry' --agent ada -q; mem session create --id s1 -q > ~/id; mem remember s1 'a finding' --type finding -q > ~/id; mem forget --session s1 --all --yes -q
mem history | grep -v /session/s1 > ~/before; store=$(mem where --jq '.stores[0].root'); cd ../new
mem move --from "$store" --to project --dry-run; mem where | cut -f 2
mem move --from "$store" --to project
mem history > ~/after; diff ~/before ~/after; mem history m-1; mem history m-3; mem history /project/port; mem history /project/gone
mem note 'the next one'

# Undone, all is where it was, and a second move gives the same ids.
git init -q ../fourth; cd ../fourth; from=$(cd ../new; mem where --jq '.stores[0].root')
mem move --from "$from" --to project -q; mem undo --last; mem ls --keys; mem --root "$from" ls --keys
mem move --from "$from" --to project --dry-run; mem move --from "$from" --to project; mem history m-2; mem undo --last
mem move --from "$from" --to project -q

# It comes back under the same ids as well.
back=$(mem where --jq '.stores[0].root'); cd ../new; mem ls --keys; mem move --from "$back" --to project; mem history m-2 | cut -f 2-

# Where notes are in the way all get new ids, which a dry run names; so they do for the user.
git init -q ../fifth; cd ../fifth; mem note 'here before' -q; mem move --from "$from" --to project --dry-run
mem move --from "$from" --to project; mem history m-3 | cut -f 2-; mem undo --last; mem ls
mem forget m-1 --yes -q; mem move --from "$from" --to project --dry-run; mem move --from "$from" --to user --dry-run
mem move m-2 --from "$from" --to project --dry-run

# Nor are ids kept, or older versions brought, where others get the records.
git init -q ../shared; cd ../shared; mem init --shared -q --yes; mem move --from "$from" --to project --dry-run | sed 's/[a-z]*$/LETTERS/'
mem move --from "$from" --to project -q; mem history /project/port | cut -f 2-; cd ~; mem fsck --all | hide
