# One memory that is named is the only one, wherever it is.
export MEM_ROOT=memory
mem where # files
mem set /a 1 -s chat -q; mem where
mem --root other where # files
mem where --jq '.stores[] | [.memories, .from]'
mem --layer user where; echo "exit $?"; mem where nothing; echo "exit $?"
mem init --root memory | sed 1d; mem init --layer user --root memory; echo "exit $?"
mem move /a --to user; echo "exit $?"
mem trust --yes; echo "exit $?"
