import type { OptionForm } from "./program-options.ts";

/** Programs that only read, whatever they are given. */
export const READS_ALWAYS = new Set(
	(
		": true false basename cat cd cksum cmp comm cut df diff dirname dirs du echo egrep expand expr fgrep fmt fold free " +
		"groups head hexdump id jq join locale logname look ls lscpu lsblk md5 md5sum b2sum nl nproc od paste pgrep pidof popd " +
		"printenv ps pushd pwd readlink realpath rev seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum sleep stat sum sw_vers " +
		"tac tail times tr tsort tty type uname unexpand uptime users vmstat wait wc whereis which who whoami whatis apropos w last " +
		"cal ncal column getconf getent zcat bzcat xzcat nslookup dig host zipinfo jq " +
		"numfmt pbpaste clear getfacl lsattr namei findmnt lsusb lspci lsmod envsubst pr yes factor pstree ipcs"
	).split(" "),
);

const GREP: OptionForm = {
	flags: "EFGPivwxcLlqsnHhbozUuaIrRTyV0S",
	valued: "efmABCdD",
	long:
		"color colour include= exclude= exclude-dir= include-dir= line-number ignore-case no-ignore-case count files-with-matches " +
		"files-without-match only-matching max-count= after-context= before-context= context= regexp= file= extended-regexp " +
		"fixed-strings basic-regexp perl-regexp invert-match word-regexp line-regexp quiet silent no-messages with-filename " +
		"no-filename null null-data recursive dereference-recursive text binary binary-files= label= line-buffered byte-offset " +
		"initial-tab devices= directories= exclude-from= group-separator= no-group-separator help version",
	digits: true,
	loose: true,
	dashes: true,
};

/** zsh reckons what it is given here. */
const DIGIT: OptionForm = { operands: 1, operand: ({ shape }) => shape !== null && /^\d+$/.test(shape) };

/** Programs that read with these options, and write or run something with others. */
export const FORMS: Record<string, OptionForm> = {
	ack: {
		flags: "ivwcLlnHhofQsx1",
		valued: "mABCg",
		long: "ignore-case type= color nocolor files-with-matches count literal",
	},
	ag: {
		flags: "aUiswvcClLnHhoQSutz0fF",
		valued: "ABCGgmp",
		long: "ignore= ignore-dir= hidden literal nocolor color nogroup group numbers nonumbers files-with-matches count vimgrep depth= column context= after= before= file-search-regex=",
		digits: true,
		dashes: true,
	},
	arch: { operands: 0 },
	base32: { flags: "dDi", valued: "w", long: "decode wrap= ignore-garbage", operands: 1 },
	base64: { flags: "dD", valued: "w", long: "decode wrap=", operands: 1 },
	bat: {
		flags: "pnPAuf",
		valued: "rlHm",
		long: "plain number show-all style= color= language= line-range= decorations= theme= wrap= highlight-line= tabs=",
		exact: /^--paging=never$/,
		operand: ({ text }) => text !== "cache",
	},
	bc: { flags: "lq", operands: 0 },
	break: DIGIT,
	continue: DIGIT,
	crontab: { flags: "l", operands: 0 },
	date: {
		flags: "uRnjI",
		valued: "drv",
		long: "utc universal date= reference= rfc-3339= iso-8601 rfc-email rfc-2822 debug",
		operand: ({ start }) => start.startsWith("+"),
	},
	exa: {
		flags: "1laRrTFdhimgSUuHxGBabn@",
		valued: "Lst",
		long: "long all tree git level= sort= icons color color= header reverse recurse oneline git-ignore",
	},
	eza: {
		flags: "1laRrTFdhimgSUuHxGBabn@",
		valued: "Lst",
		long: "long all tree git level= sort= icons color color= header reverse recurse oneline git-ignore",
	},
	dpkg: { flags: "lLsS" },
	exit: DIGIT,
	return: DIGIT,
	shift: DIGIT,
	fd: {
		flags: "HIuisgpaLF0l1qvh",
		valued: "detEcjSo",
		long:
			"hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details " +
			"follow full-path print0 max-depth= min-depth= exact-depth= exclude= prune type= extension= size= changed-within= " +
			"changed-before= owner= color= max-results= quiet base-directory= strip-cwd-prefix and= version help one-file-system threads=",
		dashes: true,
	},
	file: {
		flags: "bchiIkLhNnprsSvzEdr0",
		valued: "eFmP",
		long: "brief mime mime-type mime-encoding dereference no-dereference keep-going separator= raw uncompress exclude= extension help version",
	},
	grep: GREP,
	zgrep: GREP,
	gunzip: { flags: "cdltv" },
	gzip: { flags: "cdltv" },
	hostname: { flags: "fsiIdaAyv", long: "fqdn long short ip-address all-ip-addresses domain", operands: 0 },
	hostnamectl: { operands: 0 },
	iconv: { flags: "c", valued: "ft" },
	ifconfig: { flags: "a", operands: 1 },
	info: { flags: "w", operands: 0 },
	jobs: { flags: "lprs" },
	journalctl: {
		flags: "fexbrkaqm",
		valued: "unpotSU",
		long: "no-pager unit= user-unit= since= until= lines= follow boot priority= output= reverse dmesg user system grep= catalog identifier= no-hostname utc list-boots disk-usage",
	},
	less: { flags: "FRSXNEinrsm", long: "RAW-CONTROL-CHARS", operand: ({ start }) => !start.startsWith("+") },
	lsof: { flags: "anPtlRU", valued: "ipucds" },
	man: { flags: "kfwa", operand: ({ text }) => text !== null && /^[\w.:-]+$/.test(text) },
	mapfile: { flags: "t", operands: 1 },
	readarray: { flags: "t", operands: 1 },
	more: { flags: "dfps", operand: ({ start }) => !start.startsWith("+") },
	mount: { flags: "l", operands: 0 },
	netstat: { flags: "tulpnaerivsgcWN4", valued: "p" },
	nm: { flags: "aguCDnPS" },
	objdump: { flags: "dhtTxpfSDrR" },
	ping: { flags: "nqv46", valued: "cwWit" },
	read: { flags: "rs", valued: "dnNpt", operand: ({ text }) => text !== null && /^[A-Za-z_]\w*$/.test(text) },
	readelf: { flags: "hlSsdaWnrV" },
	rg: {
		flags: "ilnNcvwxsSuUoFPpqzaLIHh0.bV",
		valued: "efgtTmABCEMrdj",
		long:
			"hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted ignore-case smart-case case-sensitive line-number no-line-number " +
			"files files-with-matches files-without-match count count-matches only-matching fixed-strings multiline multiline-dotall pcre2 " +
			"word-regexp line-regexp invert-match with-filename no-filename heading no-heading glob= iglob= type= type-not= type-add= type-list " +
			"max-count= max-depth= max-columns= max-filesize= after-context= before-context= context= color= colors= column no-column sort= sortr= " +
			"regexp= file= replace= json stats text null vimgrep pretty trim passthru follow debug quiet encoding= engine= threads= " +
			"no-messages no-config one-file-system context-separator= field-match-separator= glob-case-insensitive include-zero version help crlf",
		dashes: true,
	},
	rpm: { flags: "qaliRcd" },
	shuf: { flags: "ezr", valued: "ni", long: "head-count= input-range= echo repeat" },
	size: {},
	sort: {
		flags: "bcCdfghiMmnrRsuVz",
		valued: "ktS",
		long:
			"unique numeric-sort reverse version-sort human-numeric-sort general-numeric-sort ignore-case stable check zero-terminated merge " +
			"month-sort random-sort sort= ignore-leading-blanks dictionary-order debug key= field-separator= buffer-size= parallel= batch-size= help version",
	},
	ss: { flags: "tulpnaxermio46sHwO", operand: ({ text }) => text !== null },
	strings: { flags: "afno", valued: "ntel", digits: true },
	sysctl: { flags: "nae", operand: ({ text }) => text !== null && /^[\w.]+$/.test(text) },
	tee: { flags: "ai", operand: ({ text }) => text !== null && /^\/dev\/(?:null|stderr|stdout)$/.test(text) },
	timedatectl: { operands: 0 },
	tokei: {},
	top: { flags: "bHcSi", valued: "nlpuodws" },
	tput: { operand: ({ text }) => /^(?:cols|lines|colors|bold|sgr0|set[ab]f?|\d+)$/.test(text ?? "") },
	tree: {
		flags: "adfilxhpsugDFqNQrtUvcnCASXJ",
		valued: "LIP",
		long: "dirsfirst filesfirst noreport gitignore prune du filelimit= si inodes device charset= sort= matchdirs ignore-case fromfile metafirst timefmt=",
	},
	ulimit: { flags: "aHSn", operands: 0 },
	umask: { flags: "S", operands: 0 },
	uniq: {
		flags: "cdDuiz",
		valued: "fsw",
		long: "count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated all-repeated group",
		operands: 1,
		optionsFirst: true,
	},
	unset: { operand: ({ text }) => text !== null && /^[a-z]\w*$/.test(text) && !text.endsWith("path") },
	unzip: { flags: "lvqZ1" },
	xz: { flags: "cdltv" },
	yq: {
		flags: "ePrMCNjny",
		valued: "po",
		long: "prettyPrint unwrapScalar null-input output-format= input-format= no-colors colors indent= raw-output",
	},
	xxd: { flags: "abdeEiprpuv", valued: "clgson", operands: 1, optionsFirst: true },
};

/** Programs whose options and words must hold one of these. */
export const NEEDS: Record<string, RegExp> = {
	crontab: /^-l$/,
	dpkg: /^-[lLsS]$/,
	gunzip: /^-[clt]$/,
	gzip: /^-[clt]$/,
	rpm: /^-q$/,
	top: /^-[bl]$/,
	xz: /^-[clt]$/,
	unzip: /^-[lZ]$/,
};

/** What a set of well-known programs does when asked for its version or its help: nothing else. */
export const TELLS: Record<string, RegExp> = Object.fromEntries(
	[
		[
			"--version --help",
			"ack ag awk gawk bash bat brew bun cat clang cmake convert curl deno diff docker eslint fd ffmpeg find fish gcc g++ gh git gmake go grep helm java javac jq just kubectl ls lua make meson mypy mysql nginx ninja node npm npx openssl perl php pip pip3 podman poetry prettier psql python python2 python3 rg rsync ruby sed sh sort sqlite3 ssh svn swift tar task terraform tmux tree tsc uv uvx vim wc wget which xargs yq zsh shellcheck black ruff sudo gem curl redis-cli redis-server mongosh aws gcloud az vercel netlify heroku fly supabase claude codex biome vite esbuild tsx ts-node mise asdf volta pyenv rbenv nvm conda gpg envsubst golangci-lint gofmt dlv protoc buf",
		],
		["-v", "bun node npm npx ruby perl php tsc nginx gem terraform"],
		["-V", "python python3 python2 pip pip3 curl ssh tmux uv ruff wget cmake"],
		["-h", "node npm bun deno gh docker kubectl go rg jq fd psql uv ruff"],
		["-version", "java javac ffmpeg clang ant"],
		["version", "go docker kubectl helm gh terraform brew openssl podman uv git golangci-lint buf"],
		["help", "go docker kubectl gh helm brew uv"],
	]
		.flatMap(([words, names]) => names!.split(" ").map((name) => [name, words!] as const))
		.reduce((all, [name, words]) => all.set(name, `${all.get(name) ?? ""} ${words}`.trim()), new Map<string, string>())
		.entries()
		.map(([name, words]) => [name, new RegExp(`^(?:${words.replace(/ /g, "|")})$`)]),
);

/** Programs whose subcommands print their help for a `--help` behind them. */
export const HELPS = /^(?:docker|kubectl|helm|pip3?|npm|uv|gh|go)$/;

/** Of the shell itself: no file of that name is run. */
export const BUILT_IN = new Set(
	": [ bg break builtin cd command continue dirs echo exit false getopts jobs kill mapfile popd printf pushd pwd read readarray return set shift test times true type ulimit umask unset wait".split(
		" ",
	),
);

const RUST = { "rust-toolchain": /./, "rust-toolchain.toml": /./, ".cargo/config.toml": /./, ".cargo/config": /./ };
const MANAGED = { "package.json": /"packageManager"|"devEngines"/ };

/** Programs that a file in a folder can replace by another one: they only tell their version where there is none. */
export const BY_FOLDER: Record<string, Record<string, RegExp>> = {
	cargo: RUST,
	rustc: RUST,
	rustfmt: RUST,
	rustup: RUST,
	pnpm: MANAGED,
	yarn: { ...MANAGED, ".yarnrc.yml": /yarnPath/, ".yarnrc": /path/ },
	corepack: MANAGED,
	// npm 6
	npm: { ".npmrc": /onload-script/ },
	dotnet: { "global.json": /./ },
};
