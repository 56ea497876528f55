# Both stores are read as one; what both have is the project's.
# needs: git
git init -q app && cd app
mem set /project/db '{"text":"MySQL on port 3307 for the shop"}' -s chat -q
mem set /user/lang '{"type":"preference","text":"answer in German"}' -s chat -q
mem set /both '{"text":"the project says port 1"}' -s chat -q
mem set /both '{"text":"the user says port 2"}' -s chat -q --layer user
mem ls
mem ls -l
mem ls --json --jq '.memories[] | [.key,.layer]'
mem get /both; mem get /user/lang; mem get /both --layer user
mem read
mem read --json --jq '.memories[] | [.key,.layer]'
mem search port
mem search port --json --jq '.memories[] | [.key,.layer,.score]'
mem search 'port -project'; echo "exit $?"
mem query '[.key,.content.text]'
mem query --history .key
mem history /both | cut -f 2-
mem notes --json; mem note 'noted here' -q; mem note 'noted for all' --scope user -q
mem notes --jq '.memories[] | [.id,.text]'
mem read --format notes --query noted
mem get m-1; mem get u-1; mem history u-1 | cut -f 2
mem __complete get /b 2>/dev/null; mem __complete forget '' 2>/dev/null

# get and rm act where the key is, the project first.
mem rm /both; mem get /both; mem rm /both; mem get /both; echo "exit $?"
mem rm /user/lang /project/db nothing; echo "exit $?"
mem forget u-1; mem forget m-1 --json; mem forget m-1; echo "exit $?"

# An expired memory hides nothing.
mem set /both -s chat -q --ttl 1h --text over; mem set /both 2 -s chat -q --layer user
mem --now 2026-02-23T10:00:00Z get /both

# A preference of the user is a rule: a fact of the project does not hide it.
mem set /user/lang '{"type":"preference","text":"answer in German"}' -s chat -q
mem set /user/lang '{"text":"the project says French"}' -s chat -q --layer project
mem ls -l /user; mem ls -l /user --json --jq '.memories[] | [.layer,.hidden]'; mem get /user/lang
