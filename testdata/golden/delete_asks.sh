# To delete an agent's memory or a session asks nothing; to purge it asks at a terminal, and needs
# --yes elsewhere.
# needs: script
export MEM_ROOT=$PWD/memory NO_COLOR=1
answered() { tr -d '\r' | sed 's/\[y.*//' | grep -v -e "^$1$" -e '^mem: nothing was' -e '^left as it is'; }
terminal() { echo "$1" | script -qec "$2" /dev/null | answered "$1"; }
keep() { mem core 'twice' --agent ada -q; mem session create --id talk -q >/dev/null 2>&1; }
keep; terminal n 'mem agent delete ada'; terminal n 'mem session delete talk'
keep; terminal n 'mem agent delete ada --purge'; mem agent list
terminal y 'mem agent delete ada --purge' | head -n 1
keep; terminal y 'mem agent delete ada --purge --yes' | head -n 1
mem session create --id other -q; terminal n 'mem session delete other --purge'; mem session list | cut -f 1
mem session delete other --purge < /dev/null; echo "exit $?"; keep; mem agent delete ada --purge < /dev/null; echo "exit $?"
mem session delete other --purge --yes | head -n 1; mem agent delete ada --purge --yes | head -n 1
