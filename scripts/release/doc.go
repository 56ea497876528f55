// Command release builds the files of a version: both programs for Linux, macOS and Windows on
// amd64 and arm64, in archives and packages.
//
//	make release VERSION=0.2.0 [RELEASE_KEY=FILE]
//
// writes into dist/
//
//	mem_VERSION_OS_ARCH.tar.gz  mem, memd, LICENSE, NOTICES, README.md, completions/, man/ (.zip)
//	mem_VERSION_linux_ARCH.deb  the same as a package of Debian, and .rpm as one of RPM, by nfpm
//	set-memory-mem-*.tgz        packages for npm: a wrapper, and the programs of each target
//	mem_VERSION_OS_ARCH.mcpb    a bundle for Claude Desktop
//	mem_VERSION_claude-plugin.zip  the hooks and the skill, as a plugin for Claude Code
//	mem.rb                      the formula for Homebrew
//	server.json                 the entry in the registry of MCP
//	sbom.json                   the modules in the programs, with their versions (CycloneDX 1.5)
//	install.sh                  installs this version, without root; it has the public key
//	checksums.txt               SHA-256 of each file, in the format of sha256sum
//	checksums.txt.sig           its signature by the key (ECDSA P-256 with SHA-256, in DER)
//
// The links of README.md lead to the repository in this version.
//
// The same commit gives the same bytes from any directory: -trimpath, no build id, times of the
// commit, sorted names, owner 0; only the signature is another one each time. A crash leaves a
// directory without checksums.txt.
package main
