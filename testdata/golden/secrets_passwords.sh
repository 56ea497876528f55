# Passwords in the forms in which people and agents write them down are refused wherever something is written.
export MEM_ROOT=memory
mem set /s '{"db":{"user":"sa","password":"S3cr3t!Pa55"}}' -s chat; echo "exit $?"
mem set /s --text 'Password：hunter2' -s chat; echo "exit $?"
mem set /s --text 'DB_PASSWORD=hunter2' -s chat; echo "exit $?"
mem set /s --text 'postgres://admin:Zq8vT2mXw9KpLr3n@db/app' -s chat; echo "exit $?"
mem set /s 1 --kind web --name x --url https://ada:pw@x.com/; echo "exit $?"
printf '%s\n' '{"key":"/s","content":"数据库密码：abc12345"}' | mem set - -s chat; echo "exit $?"
mem note 'Authorization: Bearer abcdef'; echo "exit $?"
printf '%s\n' '{"key":"/s","ts":"2026-01-01T00:00:00Z","valid":true,"source":"chat","content":{"password":"hunter2"}}' > old.jsonl
mem import old.jsonl; echo "exit $?"
mem set /n 1 --kind web --on-untrusted=quarantine -q; mem approve --yes /n --source 'PGPASSWORD=hunter2'; echo "exit $?"
ls memory/index # files

# What only speaks of them passes.
mem note 'password: ask Ada' -q; echo "exit $?"
mem note 'The password: field must be at least 12 characters' -q; echo "exit $?"
mem note 'password: <redacted>' -q; echo "exit $?"
mem note 'token: the JWT is refreshed every 15 minutes' -q; echo "exit $?"
