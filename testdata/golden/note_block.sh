# The three notes of the design, and the block that shows them.
export MEM_ROOT=memory
export MEM_NOW=2026-02-26T12:00:00Z
mem note 'User prefers Python over JavaScript' --tag preference --scope user
export MEM_NOW=2026-02-26T12:05:00Z
mem note 'Project uses PostgreSQL 16 on port 5432' --tag infra
export MEM_NOW=2026-02-26T12:10:00Z
mem note 'Deploy target is AWS us-east-1' --tag infra,deploy
mem notes --tag infra
mem read --format notes --query 'Python script that reads from PostgreSQL after the deploy'
mem read --format notes --query 'Python script that reads from PostgreSQL after the deploy' --jq '.memories[] | [.id,.score] | @tsv'
