const DECLARATION =
	/(?:^|[\s({;])(?:function\*?|class|interface|type|enum|struct|trait|impl|module|namespace|def|fn|func(?:\s+\([^)\n]{0,80}\))?|const|let|var|record|object|protocol)\s+([A-Za-z_$][\w$]{2,60})/g;
const NOISE = new Set(["the", "and", "for", "this", "that", "self", "err", "res", "req", "ctx", "i18n", "tmp"]);

const PROSE = /\.(?:md|mdx|txt|rst|adoc|html?|json|ya?ml|toml|csv|lock|log)$/i;

/** Names that a piece of code declares, in order, each once; none of prose and data. Short values count when named like a symbol. */
export function symbolsOf(path: string, code: string): string[] {
	if (PROSE.test(path)) return [];
	const found = new Set<string>();
	for (const [, name] of code.matchAll(DECLARATION))
		if (!NOISE.has(name!) && (name!.length > 4 || /[A-Z_\d]/.test(name!))) found.add(name!);
	return [...found];
}
