# Voiding memories, and the record of it.
export MEM_ROOT=memory
for n in 1 2 3 4; do mem set /task/$n "{\"text\":\"task $n\"}" -s chat -q; done
mem rm /task/1; echo "exit $?"
mem rm /task/2 /task/2 /task/9 --source 'done'; echo "exit $?"
mem rm /task/3 /task/9 --json; echo "exit $?"
mem ls -1
find memory/index -type f # files

# The key comes back when it is written again, and its history stays.
mem rm /task/4 --kind agent --name tidy --locator '{"reason":"merged"}'
mem set /task/4 '{"text":"again"}' -s chat -q
mem history /task/4
mem rm /task/1; echo "exit $?"
mem history /task/1
mem rm; echo "exit $?"

# An id without a note keeps no other memory from its turn.
for n in one two three four five six; do mem note $n -q; done
mem rm m-1 m-88; echo "exit $?"; mem rm m-88 m-2 m-77 /task/9 --json; echo "exit $?"
mem forget m-3 m-88; echo "exit $?"; mem forget m-88 /task/9 m-4 --dry-run; echo "exit $?"
mem forget m-4 m-88 --purge --yes; echo "exit $?"; mem rm m-88 m-99; echo "exit $?"
mem touch m-88 m-4 --tag x; echo "exit $?"; mem pin m-5 m-88; echo "exit $?"; mem ls
mem rm task/1; echo "exit $?"
