import { withoutEnd } from "../core/text/text.ts";

/** A path that a note names, relative to the project or absolute. */
export interface NamedPath {
	/** As the note has it. */
	text: string;
	path: string;
	/** By its form it can be nothing else: it has an ending, or a slash behind it. */
	isSure: boolean;
}

const MAX_TEXT = 64_000;
const MAX_NAMED = 100;

/** The paths and the code symbols that a text names: in backticks, and paths with a slash anywhere. Each once, at most 100 of each. */
export function namedThings(text: string): { paths: NamedPath[]; symbols: string[] } {
	const paths = new Map<string, NamedPath>();
	const symbols = new Set<string>();
	const take = (token: string, isQuoted: boolean): void => {
		const path = pathIn(token, isQuoted);
		if (path && paths.size < MAX_NAMED) paths.set(path.path, paths.get(path.path) ?? path);
	};
	const plain = text.slice(0, MAX_TEXT).replace(/`([^`\n]{1,200})`/g, (_, inner: string) => {
		const quoted = inner.trim();
		if (/\s/.test(quoted)) for (const token of quoted.split(/\s+/)) take(token, false);
		else if (isSymbol(quoted)) {
			if (symbols.size < MAX_NAMED) symbols.add(quoted.replace(/\(\)$/, ""));
		} else take(quoted, true);
		return " ";
	});
	for (const token of plain.split(/[\s"'()<>,;|[\]]+/)) if (token.includes("/")) take(token, false);
	return { paths: [...paths.values()], symbols: [...symbols] };
}

const SYMBOL = /^[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*){0,5}(?:\(\))?$/;

/** Camel case, an underscore, parts joined by a dot, a call: a plain word is none. */
const isSymbol = (text: string): boolean =>
	SYMBOL.test(text) &&
	!isFileName(text) &&
	(/\(\)$|[a-z\d][A-Z]|[A-Z]{2}[a-z]|[A-Za-z\d]_[A-Za-z\d]|::|#/.test(text) || /^[A-Z]\w*\.\w/.test(text));

const ENDINGS = new Set(
	`ts tsx js jsx mjs cjs mts cts json jsonc json5 md mdx py pyi rb go rs java kt kts swift c h cc cpp hpp cs php sh bash
	zsh fish yml yaml toml ini cfg conf lock sql html css scss less vue svelte proto graphql tf gradle xml txt ipynb dart ex
	exs lua pl scala zig nix csv env mod sum`.split(/\s+/),
);
const PRODUCTS = /^(?:node|next|nuxt|vue|react|express|three|d3|chart|socket|backbone|ember|electron|deno|bun)\.js$/i;

const isFileName = (text: string): boolean =>
	/^[\w@+-][\w.@+-]*\.[a-z][a-z\d]{0,9}$/i.test(text) &&
	ENDINGS.has(text.slice(text.lastIndexOf(".") + 1).toLowerCase()) &&
	!PRODUCTS.test(text);

const DOMAIN = /\.(?:com|org|net|io|dev|ai|app|edu|gov|co|de|uk|eu|info|cloud|sh)$/i;

function pathIn(token: string, isQuoted: boolean): NamedPath | null {
	const text = withoutEnd(token, ".,:;!?");
	// `file.ts:12`, `file.ts:12:3`, `file.ts#L12`
	const place = text.replace(/(?::\d+){1,2}$|#L?\d+(?:-L?\d+)?$/, "");
	const path = withoutEnd(place.replace(/^(?:\.\/)+/, ""), "/");
	if (path.length > 300 || !/^\/?[\w.@+-]+(?:\/[\w.@+-]+)*$/.test(path)) return null;
	if (/^@|^-|(?:^|\/)\.{1,2}(?:\/|$)/.test(path)) return null;
	const parts = path.split("/").filter(Boolean);
	if (parts.length < 2) return isQuoted && isFileName(path) ? { text, path, isSure: true } : null;
	if (DOMAIN.test(parts[0]!)) return null;
	const isSure = isFileName(parts.at(-1)!) || (place.endsWith("/") && !path.startsWith("/"));
	return isSure || isQuoted ? { text, path, isSure } : null;
}
