package inject

import "testing"

func TestBranchNamesATopic(t *testing.T) {
	for _, c := range []struct {
		branch, text string
		want         bool
	}{
		{"fix/nightly-export", "The nightly export runs at three", true},
		{"fix-nightly-export", "The nightly export runs at three", true},
		{"fix_nightly_export", "Exports of each night: nightly, at three", true},
		{"fix-nightly-export", "Exports go to the ministry", false},
		{"TestReserve", "TestReserve is flaky in parallel", true},
		{"testreserve", "TestReserve is flaky in parallel", true},
		{"UUIDv7", "UUIDv7 ids keep the index fast", true},
		{"uuidv7-ids", "We chose UUIDv7 for each id", true},
		{"webhook", "Webhooks are signed", true},
		{"WEBHOOK", "webhooks are signed", true},
		{"webhook-signature", "Webhooks are signed with HMAC", true},
		{"webhook-signature", "The signature of a release", false},
		{"SAP-1234", "The export to SAP runs at three", true},
		{"SAP-1234", "The port is 1234", false},
		{"staging-deploy", "Staging is deployed with helm", true},
		{"feat/refund-retries-after-outage", "A refund is retried after four hours", true},
		{"feat/refund-retries-after-outage", "Ask before a refund", false},
		{"staging", "Staging is deployed with helm", false},
		{"fix", "Fix the typo", false},
		{"", "The port is 1234", false},
		{"größe", "Die Größe ist fest", true},
	} {
		b := branchOf(c.branch)
		if got := b.isIn(c.text); got != c.want {
			t.Errorf("%q in %q: %v", c.branch, c.text, got)
		}
	}
}
