# Keys that hurt: each has a file of its own, and comes back as it was written.
export MEM_ROOT=memory
n=0
put() { n=$((n+1)); mem set "$1" "$n" -s chat; test "$(mem get "$1")" = "$n" || echo "LOST $1"; }
put /a; put /a/b; put /a/b/c; put /a.json; put /a.json/b
put /User; put /user; put /USER
put '/with space/and  two'; put /trailing; put /dot.; put /dot
put /.hidden; put /...; put /-rf; put '/*?[x]'; put '/~'; put /~user; put '/$HOME'; put '/`id`'
put "/it's"; put '/"quoted"'; put '/a\b'; put '/a:b'; put '/a|b'; put '/<tag>'; put '/100%'; put /100%25; put '/at@x'
put /CON; put /con.txt; put /aux/nul; put /COM1; put '/LPT9.log'
put /用户/日程; put /🦷; put /é; put $'/e\u0301'; put '/ÅNGSTRÖM'; put /ﬁ
{ put "/$(printf '很%.0s' $(seq 100))"; put "/$(printf '很%.0s' $(seq 100))长"; } > long
{ put "/$(printf 'x%.0s' $(seq 200))"; put "/$(printf 'x%.0s' $(seq 201))"; } >> long
cat long # files

# They list in order, and every one is a file.
mem ls -1 | wc -l
find memory/index -type f | wc -l # files
mem ls -1 /a
mem ls -1 | tail -n 3
mem rm -- /-rf '/*?[x]' '/$HOME'
mem fsck
