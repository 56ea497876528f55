# needs: jq
# What mem doctor says of a memory in good order: where it is, and that nothing has to be done for it.
mem() { PATH=${PATH%%:*} command mem "$@"; }
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
mem note 'a fact' -q; mem set /a 1 -s chat -q; mem compact -q
mem doctor > said; grep -c -e error -e damaged said
mem doctor --jq '.findings[] | select(.what == "root") | .message'
mem doctor --jq '.findings[] | select(.level == "error")'
mem doctor nothing; echo "exit $?"

# A root that is a file.
echo > file; mem --root file ls; echo "exit $?" # files
