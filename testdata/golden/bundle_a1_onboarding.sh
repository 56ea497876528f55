# needs: jq
# A1, legacy onboarding: from an empty memory to an answer with its evidence, and a decision on it.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
n=10; tick() { n=$((n + 1)); export MEM_NOW=2026-02-22T10:00:${n}Z; }
ev() { mem event --session s1 "$@" --jq .chunk_ids[0]; }
tool() { ev --kind "$1" --actor tool:"$2" "$3"; }

# A repository of 2019 that nobody knows any more, and the policies: no dependencies, 65,000 tokens.
mkdir -p legacy/src
cat > legacy/README.md <<'EOF'
# dentbill

Bills for dental practices: reads the appointments of a day from a CSV file,
prices each treatment by the fee schedule and prints one bill for each patient.

## Use

    node src/index.js appointments.csv > bills.txt

EOF
cat > legacy/package.json <<'EOF'
{ "name": "dentbill", "version": "0.3.1", "description": "bills for dental practices",
  "main": "src/index.js", "license": "MIT", "dependencies": {} }
EOF
echo "require('./bill').run(process.argv[2])" > legacy/src/index.js
mem set --yes /rules/project/zero-dep '{"text":"No dependencies beyond the standard library."}' -s policy -q > /dev/null
mem set /agent/ada/identity '{"text":"You are Ada. You answer with evidence."}' -s policy -q > /dev/null

# The user asks; the agent lists the root and reads two files, and every step is an event.
question='what is this project for?'
ev --text "$question" > /dev/null; tick
tool tool_call fs.list_root '{"content":{"tool":"fs.list_root","args":{}}}' > /dev/null; tick
tool tool_result fs.list_root "$(ls legacy | jq -Rsc '{content: {tool: "fs.list_root", text: .}}')" > /dev/null; tick
for f in README.md package.json; do
  tool tool_call fs.read_file "$(jq -nc --arg f $f '{content: {tool: "fs.read_file", args: {path: $f}}}')" > /dev/null; tick
  c=$(tool tool_result fs.read_file "$(jq -Rsc --arg f $f '{content: {tool: "fs.read_file", path: $f, text: .}}' < legacy/$f)")
  [ $f = README.md ] && readme=$c; tick
done
mem get evt_${readme:4:26} --jq '.content | .actor, .content'
mem history evt_${readme:4:26} | cut -f 3 | ids; mem get evt_${readme:4:26} --jq .source | ids
mem ls /event/s1 | cut -f 2 | sort | uniq -c

# The bundle for the next call: within 65,000 tokens, of them at most 28,000 of evidence.
mem bundle --session s1 --agent ada --intent repo_onboarding --query "$question what does dentbill bill?" > acb.json
jq -c '.token_used_est <= 65000, ([.sections[] | select(.name == "retrieved_evidence").token_est] | add) <= 28000, .provenance.intent, .omissions' acb.json
jq -r '.sections[] | .name, (.items[] | "  " + (.text | gsub("\n"; "|")))' acb.json
jq -r '.sections[] | select(.name == "retrieved_evidence").items[].refs | join(" ")' acb.json | ids | sort | uniq -c

# The answer cites what it rests on, and so does the decision.
ev --kind message --actor agent:ada --text 'It bills dental practices [README.md].' --ref $readme > /dev/null
d=$(mem decide 'Project purpose hypothesis v0.1: bills for dental practices' --ref $readme --session s1 --agent ada)
mem get $d --jq '.content.refs[0]' | ids; mem get $readme | head -n 1
mem bundle --session s1 --agent ada --query "$question" --format text | ids
