# postgres: no (it is about links among the files)
# Links planted in the store lead nowhere: nothing outside is read or written through them.
export MEM_ROOT=memory
mem set /user/name '"Ada"' -s chat -q
mkdir outside; echo '{"stolen":true}' > outside/file

# A directory of the index replaced by a link.
mv memory/index/user outside/user; ln -s ../../outside/user memory/index/user
mem set /user/evil 1 -s chat -q; echo "exit $?"
ls outside/user
mem get /user/name
mem fsck --repair >/dev/null; mem fsck; echo "exit $?"
mem ls -1
find memory/index -type f | sort
ls outside outside/user

# The log replaced by a link is no log.
mv memory/log.jsonl outside/log.jsonl; ln -s ../outside/log.jsonl memory/log.jsonl
mem set /user/more 1 -s chat; echo "exit $?"
wc -l < outside/log.jsonl
rm memory/log.jsonl; mv outside/log.jsonl memory/log.jsonl
mem fsck; echo "exit $?"
