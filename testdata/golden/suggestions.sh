# What was probably meant is suggested: an id, a client, a verb, a time.
# needs: git
export MEM_ROOT=memory
for i in 1 2 3 4 5 6 7 8 9 10 11; do mem note "note number $i" -q; done
mem get m7; mem history m_7; mem forget m7; mem get m77; mem ls -1 | tail -n 10 | tr '\n' ' '; echo
mem setup claud; mem setup cluade; mem prompt --client cladue-code; mem hook codx < /dev/null
for verb in ui web context dump; do mem $verb; done
mem search number --since yesterday; mem history --since soon
mem note x --pin=maybe; mem note "$(printf 'x%.0s' {1..529})"; echo "exit $?"
mem journal 'whose?'; echo "exit $?"; MEM_AGENT=a/b mem ls; echo "exit $?"; MEM_AGENT=/ada mem ls; echo "exit $?"

# A purge with a misspelt key takes nothing.
mem forget m-1 /a/typo --purge --yes; echo "exit $?"; mem get m-1
mem forget m-1 --purge --yes | head -n 1; mem forget m-1 --purge --yes; echo "exit $?"

mem task t-typo --status done; echo "exit $?"; mem task task_01KJ2KH5D04XNZEQFPHTQVBEW --status done; echo "exit $?"; mem task task_01KJ2KH5D04XNZEQFPHTQVBEWQ --status done; echo "exit $?"
mem ls /task

mem nots; mem unforget m-5; mem injections --conversation nope
