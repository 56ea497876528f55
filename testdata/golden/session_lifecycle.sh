# needs: jq
# A session from its making to its end: ids, records, states, and what other verbs may do there.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
ids() { sed 's/mem_[0-9A-HJKMNP-TV-Z]\{26\}@[0-9a-f]\{6\}/mem_ID@SUM/g; s/mem_[0-9A-HJKMNP-TV-Z]\{26\}/mem_ID/g'; }
mem session list
mem session create; mem session create; mem session create --user 'Åsa O.'; mem session create --id review_7
S=sess_20260222_ada
mem session list

# Records of every type; the text may come from standard input or a file.
mem remember $S 'How do I implement OAuth2?' --type conversation --tag oauth2,authentication --importance 0.8 | ids
printf 'line one\nline two\n' | mem remember $S - --type conversation --role assistant | ids
printf 'Tokens leak in logs\n' > text; mem remember $S @text --type finding --tag security.authentication --json | ids
d=$(mem remember $S 'Use the authorization code flow' --type decision --rationale 'safe for servers' --alternative 'Implicit flow' --alternative PKCE --importance 0.9 --at 30d)
mem remember $S '用户喜欢中文' --type preference --tag 语言 --references $d --references /project/db --importance 1 | ids
mem get $S $d; mem get /session/$S/$d --jq .content.decision
mem query 'select(.content.type == "preference") | .content | del(.session_id)' | ids
mem session show $S
mem session show $S --jq '.statistics, .settings.decay_config.type_specific.decision, .total_entries == 5'
mem session stats $S --jq '[.total_entries, .damaged_lines, .last_compaction]'

# The size is that of the lines of its live records.
mem session stats $S --jq .total_size_bytes
grep '^{"key":"/session/'$S/ memory/log.jsonl | wc -c # files
mem forget $S $d; mem get $S $d 2>&1 | ids
mem session rebuild $S; mem session rebuild $S --json

# In get, ls and export; in no search, no read and no hook.
mem get /session/review_7; mem ls /session/review_7; mem export --jq .key | ids
mem search review; mem search --prefix /session --type session; mem read; mem read --prefix /session/review_7
echo '{"hook_event_name":"UserPromptSubmit","session_id":"x","cwd":".","prompt":"review_7 ada OAuth2"}' | mem hook claude-code

# Other verbs do not write there; touch and forget do.
mem set /session/$S '{}' -s x; echo "exit $?"
mem rm /session/review_7; echo "exit $?"
mem set /session/$S/mem_01KJ2CNA800SSZ2A29SH5THR5A '{"text":"x"}' -s x; echo "exit $?"
mem set /project/x '{"text":"x"}' -s x; mem mv /project/x /session/y; echo "exit $?"; mem mv /session/$S /project/y; echo "exit $?"
mem merge /session/review_7 /project/x --into /project/x; echo "exit $?"; EDITOR=false mem edit /session/$S; echo "exit $?"
mem touch /session/review_7 --tag kept; mem get /session/review_7 --jq .content.tags
mem set /session/any/where 1 -s x

# Closed, open again, deleted; an id is never given again.
mem session close $S; mem session close $S; mem session list
mem remember $S more --type finding; echo "exit $?"
mem forget --session $S --type finding --yes; mem session compact $S
mem session close $S --reopen; mem remember $S more --type finding | ids
mem session delete $S --reason 'asked to'; mem session delete $S; echo "exit $?"
mem session create --id $S; echo "exit $?"; mem session create
mem remember $S more --type finding; echo "exit $?"; mem session show $S; mem session delete review_7 --json
mem forget --list | ids
mem session delete $S --purge --yes 2>&1 | ids; mem query --history .content | grep -c OAuth2
grep -c OAuth2 memory/log.jsonl # files
mem session create --id $S; echo "exit $?"
mem fsck
