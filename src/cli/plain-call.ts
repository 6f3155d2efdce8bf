import type { Argument, Call, Commands, Option } from "./support/command.ts";

/**
 * What was called, where it can be read in one way only: a command's name, then words, and options of its own as the help writes them.
 * `null` leaves the rest to commander (help, wrong use, other spellings): loading it takes as long as an empty process.
 */
export async function plainCall(typed: readonly string[], commands: Commands): Promise<Call | null> {
	const [first = "", second = ""] = typed;
	const one = own(commands, first);
	const [name, load] = typeof one === "object" ? [second, own(one.commands, second)] : [first, one];
	if (!load) return null;
	const spec = await load();
	const { args: wanted = [], options = [] } = spec;
	const given: Record<string, unknown> = {};
	for (const { flags, otherwise } of options) if (otherwise !== undefined) given[keyOf(flags)] = otherwise;
	const words: string[] = [];
	const left = typed.slice(load === one ? 1 : 2).values();
	for (const word of left) {
		if (!isDashed(word)) {
			words.push(word);
			continue;
		}
		const option = options.find(({ flags }) => flags.split(" ")[0] === word);
		const value = option && readValue(option, left);
		if (value === undefined) return null;
		given[keyOf(word)] = value;
	}
	return areTaken(words, wanted)
		? { name, spec, given, args: wanted.map((one, i) => (isMany(one) ? words.slice(i) : words[i])) }
		: null;
}

const own = <T>(of: Record<string, T>, name: string): T | undefined => (Object.hasOwn(of, name) ? of[name] : undefined);

/** What commander may take for an option. */
const isDashed = (word: string): boolean => word.length > 1 && word.startsWith("-");

/** `--dry-run <x>` → `dryRun` */
const keyOf = (flags: string): string =>
	flags
		.split(" ")[0]!
		.slice(2)
		.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The value of an option, which the next word may be; `undefined` where it is not plain. */
function readValue({ flags, parse, choices }: Option, left: Iterator<string, undefined>): unknown {
	if (!flags.includes(" ")) return true;
	const value = flags.endsWith("...>") ? undefined : left.next().value;
	if (value === undefined || isDashed(value) || (choices && !choices.includes(value))) return undefined;
	try {
		return parse ? parse(value) : value;
	} catch {
		return undefined;
	}
}

const isMany = ({ name }: Argument): boolean => name.includes("...");

const areTaken = (words: readonly string[], wanted: readonly Argument[]): boolean =>
	(words.length <= wanted.length || wanted.some(isMany)) &&
	wanted.every(({ name, choices }, i) =>
		words[i] === undefined ? name.startsWith("[") : choices?.includes(words[i]) !== false,
	);
