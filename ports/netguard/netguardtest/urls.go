package netguardtest

// Spellings returns URLs by what they mean. None of the public ones needs
// to exist: a check asks no network.
func Spellings() map[Class][]string {
	return map[Class][]string{
		Public: {
			"https://api.openai.com/v1", "http://example.com", "HTTP://EXAMPLE.COM:8080/a?b#c", "https://example.com.",
			"http://93.184.216.34", "http://93.184.216.34.", "http://[2606:2800:220:1:248:1893:25c8:1946]:443/",
			"http://[64:ff9b::5db8:d822]/", "http://[::ffff:93.184.216.34]/", "http://[2002:5db8:d822::1]/",
			"https://xn--mller-kva.example", "http://a_b.example", "http://localhost.example.com", "http://127.example.com",
			"http://127.0.0.1.nip.io", "http://0xbeef.example", "http://172.32.0.1", "http://192.169.0.1", "http://11.0.0.1",
			"http://100.128.0.1", "http://8.8.8.8:65535", "https://metadata.example.com",
		},
		Private: {
			"http://127.0.0.1", "http://127.0.0.1:11434", "http://127.0.0.1.", "http://127.1.2.3", "http://127.255.255.255",
			"http://localhost", "http://LOCALHOST:80", "http://localhost.", "http://api.localhost", "http://10.0.0.1",
			"http://10.255.255.255", "http://172.16.0.1", "http://172.31.255.255", "http://192.168.0.1", "http://192.168.255.255",
			"http://100.64.0.1", "http://100.127.255.255", "http://[::1]", "http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]",
			"http://[0000:0000:0000:0000:0000:0000:0000:0001]", "http://[fc00::1]", "http://[fdff::1]",
			"http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]", "http://[0:0:0:0:0:ffff:127.0.0.1]", "http://[::FFFF:10.0.0.1]",
			"http://[::127.0.0.1]", "http://[::7f00:1]", "http://[::ffff:0:127.0.0.1]", "http://[64:ff9b::127.0.0.1]",
			"http://[64:ff9b::a00:1]", "http://[2002:7f00:1::]", "http://[2002:c0a8:101::1]", "http://[2606::5efe:10.0.0.1]",
			"http://[2606::200:5efe:192.168.0.1]",
		},
		Never: {
			// Link-local and metadata.
			"http://169.254.169.254/latest/meta-data/", "http://169.254.169.254.", "http://169.254.0.1", "http://169.254.170.2",
			"http://[fe80::1]", "http://[febf::1]", "http://[fe80::1%25eth0]", "http://[::1%25lo]", "http://[fd00:ec2::254]",
			"http://[FD00:0EC2:0:0:0:0:0:254]", "http://[fd20:ce::254]", "http://168.63.129.16", "http://100.100.100.200",
			"http://192.0.0.192", "http://metadata.google.internal", "http://METADATA.google.internal./computeMetadata/v1/",
			"http://metadata", "http://[::ffff:169.254.169.254]", "http://[::ffff:a9fe:a9fe]", "http://[::169.254.169.254]",
			"http://[64:ff9b::a9fe:a9fe]", "http://[2002:a9fe:a9fe::]", "http://[::ffff:0:169.254.169.254]",
			"http://[2606::5efe:169.254.169.254]", "http://[::ffff:168.63.129.16]",
			// Ranges that are no hosts.
			"http://0.0.0.0", "http://0.0.0.0:80", "http://0.1.2.3", "http://[::]", "http://[::ffff:0.0.0.0]", "http://224.0.0.1",
			"http://239.255.255.255", "http://[ff02::1]", "http://255.255.255.255", "http://240.0.0.1", "http://192.0.2.1",
			"http://198.51.100.1", "http://203.0.113.1", "http://198.18.0.1", "http://198.19.255.255", "http://192.88.99.1",
			"http://[2001:db8::1]", "http://[3fff::1]", "http://[2001::1]", "http://[2001:0:7f00:1:0:0:80ff:fffe]",
			"http://[2001:2::1]", "http://[fec0::1]", "http://[100::1]", "http://[64:ff9b:1::1]", "http://[5f00::1]", "http://[4000::1]",
			// Spellings of addresses that programs read in different ways.
			"http://2130706433", "http://3232235777", "http://0x7f000001", "http://0X7F.0.0.1", "http://0x7f.1", "http://0177.0.0.1",
			"http://017700000001", "http://127.1", "http://127.0.1", "http://0", "http://1", "http://127.0.0.01", "http://127.0.0.0x1",
			"http://0x0a.0.0.1", "http://012.0.0.1", "http://10.1", "http://2852039166", "http://0xa9fea9fe", "http://0251.0376.0251.0376",
			"http://169.254.43518", "http://256.256.256.256", "http://127.0.0.1.1", "http://example.0x", "http://4294967296",
			"http://00000127.0.0.1", "http://0x7f000001.",
			// Digits and dots that are not ASCII.
			"http://１２７.0.0.1", "http://127。0。0。1", "http://①②⑦.⓪.⓪.①", "http://127.0.0.１", "http://ⓛocalhost", "http://localhoſt",
			"http://ｌｏｃａｌｈｏｓｔ", "http://٠.٠.٠.٠", "http://127．0．0．1", "http://müller.example", "http://exa\u00admple.com",
			"http://127.0.0.1\u200b",
			// User information.
			"http://user@example.com", "http://user:pass@example.com", "http://@example.com", "http://example.com@127.0.0.1",
			"http://127.0.0.1@example.com", "http://example.com:80@127.0.0.1/", "http://127.0.0.1%40example.com@example.com",
			// Other schemes.
			"ftp://example.com", "file:///etc/passwd", "gopher://127.0.0.1:70/_x", "unix:///var/run/docker.sock", "ws://example.com",
			"javascript:alert(1)", "data:text/plain,x", "dict://127.0.0.1:11211/", "ldap://127.0.0.1", "//example.com", "/etc/passwd",
			"example.com", "",
		},
		NoURL: {
			"http://", "http:///path", "http:example.com", "http:/127.0.0.1", "http://[::1", "http://::1", "http://[127.0.0.1]",
			"http://[::1]x", "http://[]", "http://127.0.0.1:", "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://127.0.0.1:x",
			"http://127.0.0.1:-1", "http://127.0.0.1:80:80", "http://exa mple.com", "http://example.com/a b", "http://127.0.0.1\\@example.com",
			"http://example.com\\@127.0.0.1", "http:\\\\127.0.0.1", "http://example.com\t", "\thttp://127.0.0.1", "http://127.0.0.1\r\nHost: x",
			"http://127.0.0.1\x00", "http://127.0.0.1%00.example.com", "http://%31%32%37.0.0.1", "http://127%2e0%2e0%2e1", "http://127.0.0.1%2f",
			"http://localhost%0a", "http://127.0.0.1#@example.com\\", "http://..", "http://127.0.0.1..", "http://.localhost", "http://example..com",
			"http://127.0.0.1,example.com", "http://*", "http://a$b", "http://[fe80::1%25]", "http://[::ffff:1.2.3]", "http://[1::2::3]",
			"http://[::1]:99999", "ht\ntp://127.0.0.1", "http+unix://%2Fvar%2Frun", "http://\u007f",
		},
	}
}
