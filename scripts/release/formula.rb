class Mem < Formula
  desc "{{.Summary}}"
  homepage "{{.Home}}"
  version "{{.Version}}"
  license "MIT"
{{range .Archives}}
  on_{{.OS}} do
    on_{{.Arch}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
  end
{{end}}
  def install
    bin.install "mem", "memd"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/mem.bash" => "mem"
    zsh_completion.install "completions/_mem"
    fish_completion.install "completions/mem.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mem version")
  end
end
