# Lines of git log, hash TAB time TAB subject, as a batch for "mem set -".
BEGIN { FS = "\t" }
{
	gsub(/[\\"]/, "\\\\&", $3)
	printf "{\"key\":\"/project/commit/%s\",\"content\":{\"type\":\"commit\",\"text\":\"%s\",", $1, $3
	printf "\"created_at\":\"%s\"},", $2
	printf "\"source\":{\"kind\":\"tool\",\"name\":\"git log\",\"locator\":{\"commit\":\"%s\"},", $1
	printf "\"retrieved_at\":\"%s\"}}\n", $2
}
