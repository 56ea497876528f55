# What has only a few values is offered, and never files in their place.
# served: no (a shell completes on its machine)
export MEM_ROOT=memory
mem set /kb/spec 1 -s chat --on-untrusted quarantine -q; mem set /user/name 1 -s chat -q; mem session create --user ada > /dev/null
offered() { mem __complete "$@" 2>/dev/null | cut -f 1 | tr '\n' ' '; echo; }
offered setup c; offered hook c; offered help s; offered help session c; offered approve ''
offered --color ''; offered --log-level ''; offered ls --sort ''; offered search --sort ''; offered set --kind ''; offered event --kind ''; offered event --actor ''
offered bundle --channel ''; offered event --sensitivity ''; offered bundle --format ''; offered session export --format ''; offered task --status ''
offered remember --type ''; offered remember --role ''; offered decide --scope ''; offered note x; offered note --scope ''; offered session create ''; offered trust ''; offered import ''
