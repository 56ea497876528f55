# A deleted memory says so to each verb, and how it comes back; one that was purged or never existed does not.
hide() { sed -E 's/m-([0-9]+)-[a-z]{6}/m-\1-ID/g'; }
export MEM_ROOT=memory
for i in 1 2 3 4; do mem note "note number $i" -q; done
mem set /project/db --text x -s chat -q; mem forget m-2 /project/db -q; mem forget m-3 --purge --yes -q
for id in m-2 project/db m-3 m-99 /none; do
  echo "--- $id"
  for verb in get pin 'touch --importance 5' 'supersede m-1' edit forget; do
    EDITOR=true mem $verb $id 2>&1 | hide; echo "exit ${PIPESTATUS[0]}"
  done
done
mem history m-2 | cut -f2-3; mem get m-2 --json 2>&1 | hide; mem pin /none m-2 2>&1 | hide
mem undo m-2 -q; mem get m-2

# A note keeps a text, whatever writes its key.
mem edit m-99; echo "exit $?"
EDITOR='sed -i s/\"text\"/\"txt\"/' mem edit m-1 2>&1 | hide | sed 's/mem-edit[^ ]*/DRAFT/g; s#/[^ ]*DRAFT#DRAFT#g'
key=$(mem ls /note -1 | head -n 1)
mem set "$key" '{"txt":"x"}' -s chat 2>&1 | hide; mem set "$key" 1 -s chat 2>&1 | hide
mem set "$key" '{"type":"note","text":"changed"}' -s chat -q; mem notes | grep -c changed

# A superseded memory is not edited: no block has its text.
mem supersede m-1 m-4 -q; EDITOR='sed -i s/changed/again/' mem edit m-1 2>&1 | hide; mem get m-1 --jq .content.text
mem touch m-1 --current -q; EDITOR='sed -i s/changed/again/' mem edit m-1 -q; mem get m-1 --jq .content.text
